//! The helpers in Codex CLI: roles and skills in the user's directory, and a note for its workers.
//! The client has no commands of ours, so those are skills too.

use model::Helper;

use crate::Roots;
use crate::shared::helpers::{
    COMMANDS, HELPERS, HelperFile, HelperText, Helpers, NOTE, OurDirs, OwnContent, Part, SKILLS,
    dir, filled, headed, in_head, put_note, skill, take_note, text_of, whole,
};
use text::json::text::quoted;

pub(super) const HELPERS_HERE: Helpers = Helpers {
    kind,
    files,
    are_off: |_| false,
    name_of: |_, text| in_head(text, "name", '='),
};

fn kind(helper: Helper) -> &'static str {
    text_of(helper).names.underscored
}

fn files(roots: &Roots<'_>, ours: &OurDirs<'_>) -> Vec<HelperFile> {
    let Some(home) = dir(roots, &["$CODEX_HOME", "~/.codex"]) else {
        return Vec::new();
    };
    let roles = HELPERS.iter().map(|words| {
        let path = format!("agents/{}.toml", kind(words.helper));
        whole(&home, &path, role(words, ours.config))
    });
    let commands = COMMANDS.iter().map(|command| {
        let name = format!("tollgate-{}", command.name);
        let about = format!("{}. Use only when the user asks for it", command.about);
        let text = filled(command.text, kind, "(what the user says with this)");
        let head = [("name", name.as_str()), ("description", &about)];
        let path = format!("skills/{name}/SKILL.md");
        whole(&home, &path, headed(&head, &text))
    });
    let skills = SKILLS.iter().map(|words| skill(&home, words, kind));
    let note = HelperFile {
        path: format!("{home}/AGENTS.md"),
        content: OwnContent::Part(Part {
            ours: filled(NOTE, kind, ""),
            put: put_note,
            take: take_note,
        }),
    };
    roles.chain(commands).chain(skills).chain([note]).collect()
}

/// A role. Who only reads is kept to that by the client's own sandbox; who writes facts may do so
/// where facts are kept, if the sandbox lets it write at all.
fn role(words: &HelperText, config: &str) -> String {
    let mut role = format!(
        "name = \"{}\"\ndescription = {}\n",
        kind(words.helper),
        quoted(words.about)
    );
    if words.runs.is_empty() {
        role += "sandbox_mode = \"read-only\"\n";
    }
    if words.is_small {
        role += "model_reasoning_effort = \"low\"\n";
    }
    role += &format!("developer_instructions = \"\"\"\n{}\"\"\"\n", words.text);
    if !words.runs.is_empty() {
        let facts = quoted(&format!("{config}/memory"));
        role += &format!("\n[sandbox_workspace_write]\nwritable_roots = [{facts}]\n");
    }
    role
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reviewer_is_the_one_that_verdicts_are_taken_from() {
        let ours = super::super::review::REVIEW.plugin;
        let text = role(&HELPERS[0], "/c");
        assert_eq!(text, ours[0].1);
        assert_eq!(
            in_head(&text, "name", '=').as_deref(),
            Some(kind(Helper::Reviewer))
        );
    }

    #[test]
    fn files_lie_where_the_client_looks() {
        let roots = Roots {
            home: "/home/dev",
            project: "",
            env: &|name| (name == "CODEX_HOME").then(|| "/codex".to_owned()),
        };
        let files = files(
            &roots,
            &OurDirs {
                config: "/home/dev/.config/tollgate",
                requests: "",
            },
        );
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        for path in [
            "/codex/agents/tollgate_prompt_hydrator.toml",
            "/codex/skills/tollgate-do/SKILL.md",
            "/codex/skills/tollgate/SKILL.md",
            "/codex/AGENTS.md",
        ] {
            assert!(paths.contains(&path), "{paths:?}");
        }
        let remember = role(&HELPERS[3], "/c \"d\"");
        assert!(remember.ends_with("writable_roots = [\"/c \\\"d\\\"/memory\"]\n"));
    }
}
