//! The helpers in OpenCode: agents, commands and a skill in the user's directory. The reviewer is
//! the bridge's. A project's agent of the same name wins.

use model::Helper;

use crate::Roots;
use crate::shared::helpers::{
    COMMANDS, HELPERS, HelperFile, HelperText, Helpers, OurDirs, SKILLS, dir, filled, headed,
    skill, stem, text_of, whole,
};

pub(super) const HELPERS_HERE: Helpers = Helpers {
    kind,
    files,
    are_off: |_| false,
    // The file's name is the agent's.
    name_of: |path, _| Some(stem(path).to_owned()),
};

fn kind(helper: Helper) -> &'static str {
    text_of(helper).names.dashed
}

fn files(roots: &Roots<'_>, _: &OurDirs<'_>) -> Vec<HelperFile> {
    let homes = ["$XDG_CONFIG_HOME/opencode", "~/.config/opencode"];
    let Some(home) = dir(roots, &homes) else {
        return Vec::new();
    };
    let own = HELPERS
        .iter()
        .filter(|words| words.helper != Helper::Reviewer);
    let agents = own.map(|words| {
        let permission = permission(words);
        let head = [
            ("description", words.about),
            ("mode", "subagent"),
            ("permission", &permission),
        ];
        let path = format!("agents/{}.md", kind(words.helper));
        whole(&home, &path, headed(&head, words.text))
    });
    let commands = COMMANDS.iter().map(|command| {
        let text = filled(command.text, kind, "$ARGUMENTS");
        let path = format!("commands/tollgate-{}.md", command.name);
        whole(
            &home,
            &path,
            headed(&[("description", command.about)], &text),
        )
    });
    let skills = SKILLS.iter().map(|words| skill(&home, words, kind));
    agents.chain(commands).chain(skills).collect()
}

/// What a helper may do, in the last rule that fits: read, also what lies outside the project, or
/// run the one command.
fn permission(words: &HelperText) -> String {
    let own = match words.runs {
        "" => {
            let reads = ["read", "grep", "glob", "list", "external_directory"];
            reads.map(|tool| format!("\n  {tool}: allow")).concat()
        }
        runs => format!("\n  bash:\n    \"*\": deny\n    \"{runs} *\": allow"),
    };
    format!("\n  \"*\": deny{own}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOWHERE: OurDirs<'_> = OurDirs {
        config: "",
        requests: "",
    };

    #[test]
    fn agents_lie_where_the_client_looks_and_may_do_little() {
        let roots = Roots {
            home: "/home/dev",
            project: "",
            env: &|_| None,
        };
        let files = files(&roots, &NOWHERE);
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        for path in [
            "/home/dev/.config/opencode/agents/tollgate-compliance.md",
            "/home/dev/.config/opencode/commands/tollgate-do.md",
            "/home/dev/.config/opencode/skills/tollgate/SKILL.md",
        ] {
            assert!(paths.contains(&path), "{paths:?}");
        }
        let remember = permission(&HELPERS[3]);
        assert!(
            remember.contains("\"tollgate memory *\": allow"),
            "{remember}"
        );
        assert!(!permission(&HELPERS[1]).contains("bash"));
        let host = &super::super::HOST;
        let taken = host.takes("/p/.opencode/agent/tollgate-remember.md", "");
        assert_eq!(taken, Some(Helper::Remember));
    }
}
