//! What a reading could not account for is read as the action that it may be, and what is harmless
//! says nothing, in the same forms.

use crate::testing::Fixture;
use model::{Action, Flag, Verb};

/// A project with work that exists nowhere else.
fn world() -> Fixture {
    Fixture::new()
        .repo(".")
        .file("src/b.rs", "x\n")
        .untracked("notes.md")
        .untracked("todo.md")
        .untracked("drafts/one.md")
        .untracked("drafts/two.md")
        .file("/home/dev/.ssh/id_ed25519", "key\n")
        .file("/bin/rm", "")
        .file("/bin/ls", "")
        .dir("build")
}

/// Whether somebody would be asked about an action.
fn is_grave(action: &Action) -> bool {
    let loses = !action.loss.known().is_some_and(model::Loss::is_nothing);
    match action.verb {
        Verb::Delete | Verb::Destroy | Verb::Move => loses,
        Verb::Write => action.loss.known().is_some_and(|loss| !loss.is_nothing()),
        Verb::Execute => action.flags.has(Flag::Decoded),
        _ => false,
    }
}

#[track_caller]
fn stop(commands: &[&str]) {
    for command in commands {
        let read = world().read(command);
        let grave = read.actions.iter().any(is_grave) || !read.unread.is_empty() || read.cut;
        assert!(grave, "{command}: {:?}", world().actions(command));
    }
}

#[track_caller]
fn go(commands: &[&str]) {
    for command in commands {
        let read = world().read(command);
        let grave = read.actions.iter().find(|action| is_grave(action));
        assert!(grave.is_none() && !read.cut, "{command}: {grave:?}");
        assert!(read.unread.is_empty(), "{command}: {:?}", read.unread);
    }
}

#[test]
fn variables() {
    stop(&[
        "a[0]=rm; a[1]=notes.md; \"${a[@]}\"",
        "a=(x rm notes.md); \"${a[@]:1}\"; ${a[-2]} ${a[-1]}",
        "declare -a a=(rm notes.md); \"${a[@]}\"",
        "declare -A m=([x]=rm); ${m[x]} notes.md",
        "m=([x]=rm [y]=notes.md); ${m[x]} ${m[y]}",
        "declare -A m; m[x]=rm; ${m[x]} notes.md",
        "read -r a b <<< 'rm notes.md'; $a $b",
        "read -ra a <<< 'rm notes.md'; \"${a[@]}\"",
        "IFS=: read -r a b <<< 'rm:notes.md'; $a $b",
        "mapfile -t a <<< $'rm\\nnotes.md'; \"${a[@]}\"",
        "mapfile -t -c1 -C 'rm notes.md #' f <<< x",
        "x='rm notes.md'; eval \"${x@E}\"",
        "x='rm notes.md'; eval \"${x@P}\"",
        "x=RM; ${x@L} notes.md",
        "x=Rm; ${x,} notes.md",
        "x=xxrm; ${x: -2} notes.md",
        "x='rm notes.md'; eval \"${x/n*s/notes}\"",
    ]);
    go(&[
        "a[0]=ls; a[1]=notes.md; \"${a[@]}\"",
        "declare -A m=([rm]=red); echo ${m[rm]} notes.md",
        "read -r a b <<< 'ls notes.md'; $a $b",
        "mapfile -t lines < notes.md; echo \"${lines[0]}\"",
        "x='rm notes.md'; echo \"${x@Q}\"",
        "x=\"rm is a word\"; echo ${x/rm*/none}",
        "for f in *.md; do echo \"${f^}\"; done",
    ]);
}

#[test]
fn the_word_of_a_program() {
    stop(&[
        "/bin/[r]m notes.md",
        "/???/rm notes.md",
        "/bin/r? notes.md",
        "=rm notes.md",
        "zf_rm notes.md",
        "rm.exe notes.md",
        "ln -s /bin/rm x && ./x notes.md",
        "cp /bin/rm x; ./x notes.md",
        "mkdir -p b && ln -s /bin/rm b/ls && PATH=$PWD/b:$PATH ls notes.md",
        "mkdir -p b && cp /bin/rm b/ls; export PATH=b:$PATH; ls notes.md",
        "hash -p /bin/rm ls; ls notes.md",
        "hash -d d=drafts; rm -rf ~d",
        "repeat 2 rm notes.md",
        "f() { rm notes.md; }; export -f f; bash -c f",
        "env 'BASH_FUNC_f%%=() { rm notes.md; }' bash -c f",
    ]);
    go(&[
        "/bin/l[s] notes.md",
        "ln -s /bin/ls x && ./x notes.md",
        "export PATH=$PWD/b:$PATH; ls notes.md",
        "hash -r; ls notes.md",
        "f() { ls notes.md; }; export -f f; bash -c f",
        "./tool rm",
    ]);
}

#[test]
fn texts_that_shells_run() {
    stop(&[
        "BASH_ENV=<(echo rm notes.md) bash -c true",
        "PS4='$(rm notes.md)' bash -xc true",
        "PS1='$(rm notes.md)' bash --norc -i </dev/null",
        "PROMPT_COMMAND='rm notes.md' bash -i",
        "env PS0='`rm notes.md`' bash -i <<< true",
        "coproc sh; echo 'rm -rf drafts' >&${COPROC[1]}",
        "coproc X { sh; }; echo 'rm notes.md' >&\"${X[1]}\"",
        "exec 3> >(sh); echo rm notes.md >&3",
        "exec 3> >(rm notes.md)",
        "echo rm notes.md > >(sh)",
        "python3 -c 'print(\"rm notes.md\")' | sh",
        "ls *.md | sed 's/^/rm /' | sh",
        "ls | awk '{print \"rm \" $1}' | bash",
        "find . -name '*.md' -printf 'rm %p\\n' | sh",
        "make -f - <<< 'a:;rm notes.md'",
        "printf 'a:\\n\\trm notes.md\\n' | make -f -",
        "make --eval 'a:;rm notes.md' a",
        "printf 'D=drafts\\nclean:\\n\\trm -rf $(D)\\n' > Makefile && make clean",
        "mkdir -p bin && printf '#!/bin/sh\\nrm -rf drafts\\n' > bin/clean && ./bin/clean",
        "printf '#!/bin/rm\\n' > z && chmod +x z && ./z notes.md",
        "sed -n 's/x/rm notes.md/e' src/b.rs",
    ]);
    go(&[
        "PS4='+ $(date) ' bash -xc true",
        "exec > >(tee -a run.log)",
        "exec &> >(tee -a run.log)",
        "python3 -c 'print(1)' | sh",
        "echo 'rm -rf drafts' | tee plan.txt",
        "grep -rn 'rm -rf' . | head",
        "git log --oneline | grep 'rm ' | wc -l",
        "make clean",
        "printf 'all:\\n\\techo hi\\n' | make -f -",
        "awk '{print \"rm \" $1}' src/b.rs | sort",
        "echo \"do not rm notes.md\" >&2",
    ]);
}

#[test]
fn what_wrappers_print() {
    stop(&[
        "env echo rm notes.md | nice sh",
        "timeout 5 printf 'rm notes.md' | env bash",
        "command echo rm notes.md | command sh",
        "bash -c 'echo rm notes.md' | sh",
        "echo notes.md | xargs echo rm | sh",
        "$(env echo rm) notes.md",
        "echo 'rm notes.md' > e.sh; nohup cat e.sh | sh",
        "printf '#!/bin/sh\necho rm notes.md\n' > e.sh; chmod +x e.sh; ./e.sh | sh",
        "echo 'Xm notes.md' | tr X r | sh",
        "echo 'x:rm notes.md' | cut -d: -f2 | sh",
        "printf 'ls\nrm notes.md\n' | tail -n 1 | sh",
        "printf 'rm notes.md\nls\n' | tac | tail -1 | sh",
        "e${x}cho rm notes.md | s${y}h",
        "printf '\\x72\\x6d \\x25s\\n' | sed s/%s/notes.md/ | sh",
    ]);
    go(&[
        "env echo ls notes.md | nice sh",
        "bash -c 'echo ls notes.md' | sh",
        "echo notes.md | xargs echo rm",
        "nohup env | sort",
        "echo 'LS notes.md' | tr A-Z a-z | sh",
        "printf 'rm notes.md\nls\n' | tail -n 1 | sh",
        "echo 'rm notes.md:ls' | cut -d: -f2 | sh",
        "printf '\\x65cho \\x25s\\n' | sh",
        "sudo -n true | cat",
    ]);
}

#[test]
fn loops_that_run_once() {
    stop(&[
        "until false; do rm notes.md; break; done",
        "while :; do cp todo.md notes.md && rm todo.md; break; done",
        "while read x; do rm notes.md; done < list",
        "false || mkdir b && false || cp todo.md notes.md",
    ]);
    go(&[
        "until false; do mv src/b.rs src/c.rs && sed -i s/a/b/ src/c.rs; break; done",
        "while :; do echo x > new.txt; rm new.txt; break; done",
        "while read x; do echo \"$x\" > new.txt; rm new.txt; done < list",
    ]);
}

#[test]
fn programs_that_nobody_knows() {
    stop(&[
        "chronic rm notes.md",
        "prlimit --nofile=10 rm notes.md",
        "setarch -R rm notes.md",
        "ssh-agent rm notes.md",
        "perf stat rm notes.md",
        "gdb -batch -ex 'shell rm notes.md'",
        "gdb --args rm notes.md",
        "retry -t 3 'rm notes.md'",
        "hyperfine 'rm notes.md'",
        "concurrently 'ls' 'rm notes.md' || concurrently 'rm notes.md' 'ls'",
        "nodemon --exec 'rm notes.md'",
        "nix shell n#x -c rm notes.md",
        "npx rimraf 'drafts/**'",
        "npx rimraf@5 drafts",
        "npx del-cli drafts",
        "npx -c 'rm notes.md'",
        "npm exec -c 'rm notes.md'",
        "npx shx rm -rf drafts",
        "bun exec 'rm notes.md'",
        "chroot / rm -rf /home/dev/proj/drafts",
        "scp -o ProxyCommand='rm notes.md' a h:",
        "wrapper -- iconv -o notes.md src/b.rs",
        "wrapper --quiet iconv -o notes.md src/b.rs",
        "wrapper -- python3 -c 'import os; os.remove(\"notes.md\")'",
        "wrapper -- echo rm notes.md | wrapper -- sh",
        "wrapper -- echo rm notes.md | wrapper sh",
    ]);
    go(&[
        "chronic ls notes.md",
        "ollama rm llama3",
        "apt-get install rm",
        "man rm",
        "tldr git reset",
        "say 'rm notes.md'",
        "bd create 'rm notes.md once it is merged'",
        "foo --title 'rm notes.md'",
        "foo -m 'git reset --hard'",
        "jj git push",
        "npx prettier --write src",
        "npm run rm notes.md",
        "psql -c \"select 'rm -rf drafts'\"",
        "hyperfine 'ls drafts'",
        "foo --help rm notes.md",
        "wrapper -- cat notes.md",
        "wrapper -- rg 'rm notes.md' .",
        "wrapper -- python3 -c 'import os; print(os.getcwd())'",
        "foo install notes.md",
        "foo patch notes.md < x.patch",
        "foo -- notes.md",
        "foo grep 'rm notes.md'",
        "foo --quiet echo rm notes.md",
        "foo completion --shell bash",
        "foo --shell zsh",
        "wrapper -- sort src/b.rs -o src/c.rs",
    ]);
}

#[test]
fn products() {
    stop(&[
        "iconv -o notes.md src/b.rs",
        "iconv -f utf8 -t utf8 src/b.rs -o notes.md",
        "cpp src/b.rs notes.md",
        "gcc -o notes.md a.c",
        "ld -o notes.md x.o",
        "objcopy x.o notes.md",
        "pandoc -o notes.md src/b.rs",
        "dot -Tsvg a.dot -onotes.md",
        "ffmpeg -y -i a.mp4 notes.md",
        "convert a.png notes.md",
        "openssl genrsa -out notes.md 2048",
        "gpg -o notes.md -d x.gpg",
        "pg_dump -f notes.md db",
        "foo --output=notes.md",
        "foo -o notes.md",
        "/usr/bin/time -o notes.md ls",
        "strace -f -o notes.md ls",
        "valgrind --log-file=notes.md ls",
        "script -c ls notes.md",
        "yes | ssh-keygen -f ~/.ssh/id_ed25519 -N ''",
        "ssh-keygen -q -t ed25519 -f ~/.ssh/id_ed25519 -N '' <<< y",
        ">! notes.md",
        "echo x >! notes.md",
    ]);
    go(&[
        "iconv -f latin1 -t utf8 notes.md -o notes.utf8",
        "gcc -o app a.c && gcc -o app a.c",
        "pandoc notes.md -o notes.html",
        "foo -o json",
        "foo --output=new.txt",
        "ssh-keygen -lf ~/.ssh/id_ed25519",
        "ssh-keygen -t ed25519 -f ~/.ssh/other -N ''",
        "strace -f ls notes.md",
        "openssl x509 -in notes.md -noout",
        "echo x >>! notes.md",
    ]);
}

#[test]
fn what_is_found() {
    stop(&[
        "find drafts -exec truncate -s0 {} \\;",
        "find drafts -type f -exec cp /dev/null {} \\;",
        "find drafts -type f -exec dd if=/dev/zero of={} count=1 \\;",
        "find drafts -type f -exec mv {} merged \\;",
        "find drafts -type f | xargs truncate -s 0",
        "ls *.md | xargs -I{} mv {} merged",
        "ls drafts/* | xargs rm",
    ]);
    go(&[
        "find . -type f | xargs grep -n x",
        "find drafts -exec chmod 644 {} +",
        "find drafts -type f -exec cp {} /tmp \\;",
        "find build -type f -exec truncate -s0 {} \\;",
        "find drafts -type f -exec sed -i s/a/b/ {} +",
        "ls *.md | xargs -I{} cp {} /tmp/{}",
        "xargs -a /dev/null rm",
        "grep -rl old . | xargs sed -i s/old/new/",
    ]);
}

#[test]
fn archives_and_copies_that_hold_what_is_gone() {
    stop(&[
        "zip -qm b.zip notes.md && rm b.zip",
        "tar czf b.tgz --remove-files drafts && rm b.tgz",
        "7z a -sdel b.7z notes.md && rm b.7z",
        "cp notes.md nodir/; rm notes.md",
        "cp notes.md nodir/x; rm notes.md",
    ]);
    go(&[
        "zip -q b.zip notes.md && rm b.zip",
        "zip -qm b.zip notes.md && ls",
        "cp notes.md /tmp/x; rm notes.md",
        "mkdir -p d && cp notes.md d/ && rm notes.md",
    ]);
}

#[test]
fn loops_over_names_that_are_read_write_each() {
    let world = super::empty().untracked("notes.md").untracked("todo.md");
    for command in [
        "while read -r f; do > \"$f\"; done <<< notes.md",
        "while read -r f; do cp a.txt \"$f\"; done <<< notes.md",
        "ls *.md | while read f; do echo x > \"$f\"; done",
    ] {
        let told = world.actions(command).join("; ");
        assert!(
            told.contains("notes.md not in git") || told.contains("loses"),
            "{command}: {told}"
        );
    }
    for command in [
        "ls *.md | while read f; do echo x >> \"$f\"; done",
        "ls *.md | while read f; do wc \"$f\" > \"$f.count\"; done",
        "while read -r f; do cat \"$f\"; done <<< notes.md",
    ] {
        let told = world.actions(command).join("; ");
        assert!(!told.contains("loses"), "{command}: {told}");
    }
}
