//! What is the gate's own is a wall: each way to it is stopped by a defence of its own, and looking
//! is free.

use crate::testing::Fixture;
use model::Verb;

fn world() -> Fixture {
    Fixture::new()
        .own("/home/dev/.agent/settings*.json")
        .own("/home/dev/.gate/**")
        .file("/home/dev/.agent/settings.json", "{}")
        .file("/home/dev/.gate/bin/hook", "x")
        .file("/tmp/x", "x")
}

fn tampers(command: &str) -> bool {
    let analysis = world().read(command);
    analysis.actions.iter().any(|one| one.verb == Verb::Tamper)
}

#[test]
fn what_is_not_known_to_look_only_changes_what_it_names() {
    for command in [
        // A program that nobody knows, and the ways to name a path to it.
        "patchelf --set-rpath x /home/dev/.agent/settings.json",
        "patchelf ~/.gate/bin/hook",
        "protoc --out=/home/dev/.gate/bin/hook x.proto",
        "mytool -o/home/dev/.gate/bin/hook",
        "mytool /home/dev/.agent/settings.js?n",
        "cd ~/.gate/bin && mytool hook",
        "cd ~/.ga* && mytool bin/hook",
        "mytool ../.gate/bin/hook",
        // Families that write beside what they are about.
        "git config -f ~/.agent/settings.json a.b c",
        "git archive -o ~/.agent/settings.json HEAD",
        "xxd -r /tmp/x ~/.agent/settings.json",
        "python3 -m json.tool /tmp/x ~/.agent/settings.json",
        "yq -i .x=1 ~/.agent/settings.json",
        "prettier --write ~/.agent/settings.json",
        // Lists that are acted on.
        "ls -d ~/.gate/bin/hook | xargs -n1 cp /tmp/x",
        "ls ~/.agent/settings.js* | xargs cp /tmp/x",
        "dd if=/tmp/x of=$(ls ~/.gate/bin/hook)",
        "grep -rl x ~/.gate | xargs sed -i s/x/y/",
        "find ~ -name 'settings*.json' | xargs sed -i s/x/y/",
        "find ~ -name '.gat*' -exec rm -rf {} +",
        "echo x > ~/.agent/settings.js*",
        // Starters with a file of their own, and options behind the first word.
        "flock ~/.gate/bin/hook sleep 9",
        "script -q /dev/null -c 'cp /tmp/x ~/.gate/bin/hook'",
        // Texts of scripts.
        "awk 'BEGIN{print > (ENVIRON[\"HOME\"] \"/.agent/settings.json\")}'",
        "ruby -e 'File.write(Dir.home+\"/.agent/settings.json\",\"{}\")'",
        // What is reached without a path.
        "gdb -p $PPID",
        "xdotool type 'tollgate ok x'",
        "tmux send-keys 'tollgate ok acorn-acorn-10' Enter",
        "perl -e 'ioctl(STDIN,0x5412,$_) for split //,$x'",
        "systemctl --user set-environment TOLLGATE_ENABLED=false",
        // Our own programs by other words.
        "perf stat tollgate off",
        "bash -c '$0 off' tollgate",
        "env -i /usr/bin/tollgat[e] off",
    ] {
        assert!(tampers(command), "{command}");
    }
}

#[test]
fn looking_is_free() {
    for command in [
        "cat ~/.agent/settings.json",
        "jq . ~/.agent/settings.json",
        "ls -la ~/.gate ~/.gate/bin",
        "find ~/.gate -type f",
        "find ~/.gate -name hook | xargs ls -l",
        "git add .agent/settings.json",
        "git diff -- ~/.agent/settings.json",
        "git commit -m 'about ~/.agent/settings.json'",
        "prettier --check ~/.agent/settings.json",
        "npx prettier --check ~/.agent/settings.json",
        "python3 -m json.tool ~/.agent/settings.json",
        "python3 -c 'print(open(\"/home/dev/.agent/settings.json\").read())'",
        "xxd ~/.gate/bin/hook",
        "cp ~/.agent/settings.json /tmp/copy",
        "vim -R ~/.agent/settings.json",
        "strace -f ls",
        "find . -name '*.rs' | xargs sed -i s/a/b/",
        "grep -rl a . | xargs sed -i s/a/b/",
    ] {
        assert!(!tampers(command), "{command}");
    }
}
