//! Servers of tools that are started through the proxy: named, shown, taken back.

use crate::common::Machine;

const CLAUDE: &str = r#"{
  "theme": "dark",
  "mcpServers": {
    "db": { "command": "npx", "args": ["-y", "x"] },
    "web": { "url": "https://example.org/mcp" }
  }
}
"#;
const CODEX: &str =
    "model = \"m\"\n\n[mcp_servers.db]\ncommand = \"npx\"\nargs = [\"-y\", \"x\"]\n";

#[test]
fn a_server_is_started_through_the_proxy_and_uninstall_takes_it_back_to_the_byte() {
    let machine = Machine::new();
    machine.script("bin/tollgate-proxy", "exit 0");
    machine.write("home/.claude.json", CLAUDE);
    machine.write("home/.codex/config.toml", CODEX);
    let dry = machine.tollgate("proxy install claude --dry-run");
    dry.status(0)
        .shows(&[
            "Will change ~/.claude.json",
            "\"--name\", \"db\"",
            "--dry-run",
        ])
        .run();
    assert_eq!(machine.read("home/.claude.json"), CLAUDE);
    let ask = machine.tollgate("proxy install claude");
    ask.status(1)
        .shows(&["Will change"])
        .complains(&["no terminal to ask at"])
        .run();
    for host in ["claude", "codex"] {
        let install = machine.tollgate(&format!("proxy install {host} --yes"));
        install.status(0).shows(&["Will change", "done: db"]).run();
    }
    let program = machine.at("state/bin/tollgate");
    assert!(program.is_file() && machine.at("state/bin/tollgate-proxy").is_file());
    let claude = machine.read("home/.claude.json");
    let wanted = format!(
        "\"db\": {{ \"command\": \"{}\", \"args\": [\"proxy\", \"--name\", \"db\", \"--\", \"npx\", \
         \"-y\", \"x\"] }}",
        program.display()
    );
    assert!(claude.contains(&wanted), "{claude}");
    assert!(claude.contains("\"web\": { \"url\""), "{claude}");
    let again = machine.tollgate("proxy install claude --server db --yes");
    again.status(0).shows(&["already as it should be"]).run();
    let uninstall = machine.tollgate("uninstall --agent claude --agent codex");
    uninstall
        .status(0)
        .shows(&[
            "~/.claude.json: tollgate's tools and its proxy were taken out",
            "config.toml: tollgate's tools and its proxy",
        ])
        .run();
    assert_eq!(machine.read("home/.claude.json"), CLAUDE);
    assert_eq!(machine.read("home/.codex/config.toml"), CODEX);
}

#[test]
fn a_client_that_gives_calls_up_sooner_than_a_person_answers_is_set_to_wait() {
    let machine = Machine::new();
    machine.script("bin/tollgate-proxy", "exit 0");
    let codex = |seconds: u64| format!("{CODEX}tool_timeout_sec = {seconds}\n");
    machine.write("home/.codex/config.toml", codex(60));
    let install = machine.tollgate("proxy install codex --yes");
    install
        .status(0)
        .shows(&[
            "- tool_timeout_sec = 60",
            "+ tool_timeout_sec = 255",
            "db: Codex CLI would give its calls up after 60 s (tool_timeout_sec)",
            "Back: tollgate proxy uninstall codex",
        ])
        .run();
    let set = machine.read("home/.codex/config.toml");
    assert!(set.contains("tool_timeout_sec = 255"), "{set}");
    let uninstall = machine.tollgate("proxy uninstall codex --yes");
    uninstall
        .status(0)
        .shows(&["Will change", "+ tool_timeout_sec = 60", "done:"])
        .run();
    assert_eq!(machine.read("home/.codex/config.toml"), codex(60));
    machine.write("home/.codex/config.toml", codex(600));
    let dry = machine.tollgate("proxy install codex --dry-run");
    let said = dry.status(0).shows(&["Nothing was changed"]).run();
    assert!(!said.contains("would give"), "{said}");
}

/// What each client reads in a project, and a part of what it says with the proxy in front.
const PROJECTS: &[(&str, &str, &str)] = &[
    ("claude", ".mcp.json", CLAUDE),
    (
        "gemini",
        ".gemini/settings.json",
        "{\"mcpServers\":{\"db\":{\"command\":\"npx\",\"timeout\":5000}}}\n",
    ),
    (
        "qwen",
        ".qwen/settings.json",
        "{\"mcpServers\":{\"db\":{\"command\":\"npx\"}}}\n",
    ),
    ("codex", ".codex/config.toml", CODEX),
    (
        "opencode",
        "opencode.json",
        "{\"mcp\": {\"db\": {\"type\": \"local\", \"command\": [\"npx\"]}}}\n",
    ),
    (
        "copilot",
        ".vscode/mcp.json",
        "{\n\t\"servers\": {\n\t\t\"db\": { \"command\": \"npx\", \"args\": [] }\n\t}\n}\n",
    ),
];

#[test]
fn servers_of_a_project_are_started_through_the_proxy_and_come_back_to_the_byte() {
    let machine = Machine::new();
    machine.script("bin/tollgate-proxy", "exit 0");
    for (host, file, text) in PROJECTS {
        let none = machine.tollgate(&format!("proxy install {host} --project"));
        none.status(1).complains(&["there is no", file]).run();
        let path = format!("home/app/{file}");
        machine.write(&path, text);
        let install = machine.tollgate(&format!("proxy install {host} --project --yes"));
        let back = format!("Back: tollgate proxy uninstall {host} --project");
        install
            .status(0)
            .shows(&["Will change", "belongs to the project", "done: db", &back])
            .run();
        let wrapped = machine.read(&path);
        for words in ["/state/bin/tollgate", "--name"] {
            assert!(wrapped.contains(words), "{host}: {wrapped}");
        }
        assert!(
            !wrapped.contains("5000") || wrapped.contains("255000"),
            "{wrapped}"
        );
        let dry = machine.tollgate(&format!("proxy uninstall {host} --project --dry-run"));
        dry.shows(&["Will change", "Nothing was changed"]).run();
        let uninstall = machine.tollgate(&format!("proxy uninstall {host} --project --yes"));
        uninstall.shows(&["Will change", "done:"]).run();
        assert_eq!(machine.read(&path), *text, "{host}");
        let again = machine.tollgate(&format!("proxy uninstall {host} --project"));
        again.shows(&["already as it should be"]).run();
    }
    // What somebody changed meanwhile stays.
    let mine = "{\"mcpServers\":{\"db\":{\"command\":\"npx\"}}}\n";
    machine.write("home/app/.mcp.json", mine);
    machine
        .tollgate("proxy install claude --project --yes")
        .shows(&["done: db"])
        .run();
    let changed = machine
        .read("home/app/.mcp.json")
        .replace("}}}", "}}, \"a\": 1}");
    machine.write("home/app/.mcp.json", changed);
    machine
        .tollgate("proxy uninstall claude --project --yes")
        .shows(&["done:"])
        .run();
    let left = machine.read("home/app/.mcp.json");
    assert_eq!(left, mine.replace("}}}", "}}, \"a\": 1}"));
}

#[test]
fn what_cannot_stand_behind_the_proxy_is_named() {
    let machine = Machine::new();
    machine.write("home/.claude.json", CLAUDE);
    for (line, why) in [
        ("proxy install nobody", "no host is called `nobody`"),
        (
            "proxy install claude --server x",
            "names no server `x`; it names: db, web",
        ),
        ("proxy install claude --server web", "web is no program"),
        ("proxy install gemini", "names no server that is a program"),
        (
            "proxy install cline",
            "where Cline names its servers is not known",
        ),
        (
            "proxy install claude --yes",
            "tollgate-proxy is not installed",
        ),
    ] {
        let test = machine.tollgate(line);
        let shows: &[&str] = if line.ends_with("--yes") {
            &["Will change"]
        } else {
            &[]
        };
        test.status(1).shows(shows).complains(&[why]).run();
    }
    assert_eq!(machine.read("home/.claude.json"), CLAUDE);
}

#[test]
fn uninstall_finds_the_projects_in_which_the_proxy_stands() {
    let machine = Machine::new();
    machine.script("bin/tollgate-proxy", "exit 0");
    let mine = "{ \"mcpServers\": {\"db\": {\"command\": \"npx\", \"args\": [\"db\"]}} }\n";
    let files = ["home/app/.mcp.json", "home/app/.gemini/settings.json"];
    for (file, host) in files.into_iter().zip(["claude", "gemini"]) {
        machine.write(file, mine);
        machine
            .tollgate(&format!("proxy install {host} --project --yes"))
            .shows(&["done:"])
            .run();
        assert!(machine.read(file).contains("proxy"), "{host}");
    }
    // What somebody changed since keeps the change.
    let changed = machine.read(files[1]).replace("\"db\"]", "\"other\"]");
    machine.write(files[1], &changed);
    machine.write("elsewhere/x", "x");
    let uninstall = |words: &str| {
        let call = machine.tollgate(&format!("uninstall{words}"));
        call.cwd("elsewhere").shows(&[""]).run()
    };
    assert!(uninstall(" --dry-run").contains("would not be started through the proxy"));
    assert!(machine.read(files[0]).contains("proxy"));
    let said = uninstall("");
    let words = "no server of it is started through the proxy any more";
    assert_eq!(said.matches(words).count(), 2, "{said}");
    assert_eq!(machine.read(files[0]), mine);
    let left = machine.read(files[1]);
    assert!(!left.contains("proxy") && left.contains("other"), "{left}");
    assert!(!uninstall("").contains(words));
}
