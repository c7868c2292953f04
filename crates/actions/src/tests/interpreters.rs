//! Programs in other languages: what is spelled out in them is read.

use super::{dirty, empty};

#[test]
fn literal_deletes_and_commands() {
    let commands = [
        "python3 -c \"import shutil; shutil.rmtree('/srv/x')\"",
        "python -c \"import os; os.system('rm -rf /srv/x')\"",
        "python3.12 -c \"p = '/srv/x'; import shutil as s; s.rmtree(p)\"",
        "python3 -c \"import subprocess; subprocess.run(['rm', '-rf', '/srv/x'])\"",
        "python3 -c \"import subprocess; subprocess.check_call('rm -rf /srv/x', shell=True)\"",
        "python3 -c \"import pty; pty.spawn(['rm', '-rf', '/srv/x'])\"",
        "python3 -c \"import os; os.execvp('rm', ['rm', '-rf', '/srv/x'])\"",
        "node -e \"const cp = require('child_process'); cp.spawn('rm', ['-rf', '/srv/x'])\"",
        "python3 -c \"import os; os.remove(os.path.join('/srv', 'x'))\"",
        "python3 -c \"from pathlib import Path; Path('/srv/x').unlink()\"",
        "python3 -c \"from pathlib import Path; p = Path('/srv') / 'x'; p.unlink()\"",
        "python3 - <<'E'\nimport os\n# os.remove('/srv/no')\nos.unlink('''/srv/x''')\nE",
        "echo \"import os; os.remove('/srv/x')\" | python3",
        "node -e \"require('fs').rmSync('/srv/x', {recursive: true})\"",
        "node -e \"const fs = require('fs'); const d = '/srv/x'; fs.rmSync(d)\"",
        "node -e \"require('child_process').execSync('rm -rf /srv/x')\"",
        "node -e \"require('child_process').spawnSync('rm', ['-rf', '/srv/x'])\"",
        "perl -e 'unlink \"/srv/x\"'",
        "perl -MFile::Path -e 'rmtree(\"/srv/x\")'",
        "perl -e 'system(\"rm -rf /srv/x\")'",
        "ruby -e 'FileUtils.rm_rf(\"/srv/x\")'",
        "ruby -e '`rm -rf /srv/x`'",
        "php -r 'unlink(\"/srv/x\");'",
        "lua -e 'os.execute(\"rm -rf /srv/x\")'",
        "cat > /tmp/x.py <<'E'\nimport shutil\nshutil.rmtree('/srv/x')\nE\npython3 /tmp/x.py",
        "deno eval \"Deno.removeSync('/srv/x')\" ; node -e \"require('fs').unlinkSync('/srv/x')\"",
    ];
    for command in commands {
        let actions = empty().actions(command);
        let found = actions
            .iter()
            .any(|action| action.starts_with("delete file:/srv/x"));
        assert!(found, "{command}: {actions:?}");
    }
}

#[test]
fn literal_writes() {
    let cases = [
        (
            "python3 -c \"open('/srv/x', 'w').write('a')\"",
            "write file:/srv/x [truncate",
        ),
        (
            "python3 -c \"open('/srv/x', mode='a')\"",
            "write file:/srv/x [append",
        ),
        (
            "python3 -c \"from pathlib import Path; Path('/srv/x').write_text('a')\"",
            "write file:/srv/x [truncate",
        ),
        (
            "node -e \"fs.writeFileSync('/srv/x', '')\"",
            "write file:/srv/x [truncate",
        ),
        (
            "node -e \"fs.appendFileSync('/srv/x', '')\"",
            "write file:/srv/x [append",
        ),
        (
            "ruby -e 'File.write(\"/srv/x\", \"\")'",
            "write file:/srv/x [truncate",
        ),
        (
            "perl -e 'open(my \\$f, \">\", \"x\")'",
            "execute program:perl",
        ),
        (
            "python3 -c \"import shutil; shutil.move('a', '/srv/x')\"",
            "write file:/srv/x [truncate",
        ),
    ];
    for (command, start) in cases {
        let actions = empty().actions(command);
        assert!(
            actions.iter().any(|action| action.starts_with(start)),
            "{command}: {actions:?}"
        );
    }
}

#[test]
fn an_edit_of_a_file_that_was_read_loses_nothing() {
    let edit = "python3 -c \"p='a.rs'; s=open(p).read(); open(p,'w').write(s.replace('a','b'))\"";
    let blind = "python3 -c \"open('a.rs','w').write('b')\"";
    let loses = |command: &str| {
        dirty()
            .actions(command)
            .iter()
            .any(|action| action.contains("loses"))
    };
    assert!(!loses(edit));
    assert!(loses(blind));
}

#[test]
fn what_is_not_spelled_out_stays_opaque() {
    for command in [
        "python3 -c 'import sys; print(sys.version)'",
        "python3 -c \"print('rm -rf /')\"",
        "python3 -c \"names.remove('x'); re.compile('x').exec('y')\"",
        "node -e \"console.log('rm -rf /')\"",
        "python3 script.py",
        "python3 -m pytest -q",
        "node server.js",
    ] {
        let actions = empty().actions(command);
        assert!(
            actions.len() == 1 && actions[0].starts_with("execute program:"),
            "{command}: {actions:?}"
        );
    }
    let unknown = empty().actions("python3 -c \"import shutil, sys; shutil.rmtree(sys.argv[1])\"");
    assert_eq!(
        unknown[0],
        "delete file: [recursive] (unknown), loss unknown"
    );
    let formatted = empty().actions("python3 -c \"import os; os.remove(f'/srv/{x}')\"");
    assert_eq!(formatted[0], "delete file: outside (unknown), loss unknown");
}

#[test]
fn program_files_are_read_for_what_they_spell_out() {
    let world = empty()
        .file(
            "wipe.py",
            "import shutil, sys\nshutil.rmtree(sys.argv[1])\n",
        )
        .file("home.py", "import os\nos.system('rm -rf ~/x')\n")
        .file("node_modules/a/home.js", "require('fs').rmSync('/srv/x')");
    assert_eq!(
        world.actions("python3 wipe.py a"),
        [
            "delete file:/home/dev/proj/a [recursive script] project (derived)",
            "execute program:python3"
        ]
    );
    assert_eq!(
        world.actions("python3 wipe.py \"$1\""),
        ["execute program:python3"]
    );
    assert_eq!(
        world.actions("node node_modules/a/home.js"),
        ["execute program:node"]
    );
    assert_eq!(
        world.actions("python3 home.py"),
        [
            "delete file:/home/dev/x [recursive force script] home (derived)",
            "execute program:python3"
        ]
    );
}

#[test]
fn what_this_call_wrote_is_read_where_it_is_compiled_or_carried_out() {
    let world = dirty().untracked("notes.md").untracked("docs/x.md");
    for (file, text, command) in [
        (
            "m.go",
            "func main() { os.RemoveAll(\"notes.md\") }",
            "go run m.go",
        ),
        (
            "m.c",
            "int main() { remove(\"notes.md\"); }",
            "gcc m.c -o m && ./m",
        ),
        (
            "m.rs",
            "fn main() { std::fs::remove_file(\"notes.md\").unwrap(); }",
            "rustc m.rs",
        ),
        (
            "T.java",
            "Files.delete(Path.of(\"notes.md\"));",
            "java T.java",
        ),
        ("justfile", "x:\n  rm -rf notes.md", "just x"),
        (
            "Taskfile.yml",
            "tasks:\n  x:\n    cmds: [rm -rf notes.md]",
            "task x",
        ),
        (
            "build.ninja",
            "rule r\n  command = rm -rf notes.md",
            "ninja",
        ),
        (
            "package.json",
            "{\"scripts\":{\"x\":\"rm -rf \\\"notes.md\\\"\"}}",
            "npm run x",
        ),
        ("Rakefile", "task(:x) { rm_rf \"notes.md\" }", "rake x"),
    ] {
        let command = format!("cat > {file} <<'E'\n{text}\nE\n{command}");
        let actions = world.actions(&command);
        let is_lost = |action: &String| action.contains("notes.md untracked");
        assert!(actions.iter().any(is_lost), "{command}: {actions:?}");
        let harmless = command.replace("notes.md", "target/x");
        let actions = world.actions(&harmless);
        assert!(
            !actions.iter().any(|action| action.contains("loses")),
            "{harmless}: {actions:?}"
        );
    }
    let apart = "cat > m.go <<'E'\nfunc main() { os.RemoveAll(\"notes.md\") }\nE\ncat m.go";
    assert!(
        !world
            .actions(apart)
            .iter()
            .any(|action| action.starts_with("delete"))
    );
}
