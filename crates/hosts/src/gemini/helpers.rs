//! The helpers in Gemini CLI: an extension in the user's directory, which the client loads by
//! itself. Agents of the user's or of a project that is trusted win over its own.

use model::Helper;

use crate::Roots;
use crate::shared::helpers::{
    COMMANDS, HELPERS, HelperFile, Helpers, OurDirs, SKILLS, dir, filled, headed, in_head, skill,
    text_of, whole,
};
use text::json;
use text::json::text::quote;

pub(super) const HELPERS_HERE: Helpers = Helpers {
    kind,
    files,
    are_off,
    name_of: |_, text| in_head(text, "name", ':'),
};

fn kind(helper: Helper) -> &'static str {
    text_of(helper).names.dashed
}

/// Whether settings switch one of them off, or give it other tools or another model.
fn are_off(text: &str) -> bool {
    let overrides = || {
        let agents = json::object(text).ok()?.get("agents")?.object()?;
        agents.get("overrides")?.object()
    };
    let named = overrides().unwrap_or_default();
    let mut names = Helper::NAMES.iter().map(|(_, helper)| kind(*helper));
    names.any(|name| named.get(name).is_some())
}

/// The reviewer needs no file: its spawn becomes another agent's.
fn files(roots: &Roots<'_>, _: &OurDirs<'_>) -> Vec<HelperFile> {
    let homes = [
        "$GEMINI_CLI_HOME/.gemini/extensions/tollgate",
        "~/.gemini/extensions/tollgate",
    ];
    let Some(ours) = dir(roots, &homes) else {
        return Vec::new();
    };
    let mut files = vec![whole(&ours, "gemini-extension.json", EXTENSION.to_owned())];
    let own = HELPERS
        .iter()
        .filter(|words| words.helper != Helper::Reviewer);
    files.extend(own.map(|words| {
        let tools = match words.runs {
            "" => "[read_file, read_many_files, grep_search, glob, list_directory]",
            _ => "[run_shell_command]",
        };
        let name = kind(words.helper);
        let head = [
            ("name", name),
            ("description", words.about),
            ("tools", tools),
        ];
        let path = format!("agents/{}.md", words.helper.name());
        whole(&ours, &path, headed(&head, words.text))
    }));
    files.extend(COMMANDS.iter().map(|command| {
        let mut text = String::from("description = ");
        quote(command.about, &mut text);
        let words = filled(command.text, kind, "{{args}}");
        text += &format!("\nprompt = \"\"\"\n{words}\"\"\"\n");
        whole(
            &ours,
            &format!("commands/tollgate/{}.toml", command.name),
            text,
        )
    }));
    files.extend(SKILLS.iter().map(|words| skill(&ours, words, kind)));
    files
}

const EXTENSION: &str = "{\n  \"name\": \"tollgate\",\n  \"version\": \"0.1.0\"\n}\n";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::helpers::OwnContent;

    const NOWHERE: OurDirs<'_> = OurDirs {
        config: "",
        requests: "",
    };

    #[test]
    fn the_extension_lies_where_the_client_looks() {
        let roots = Roots {
            home: "/home/dev",
            project: "",
            env: &|_| None,
        };
        let files = files(&roots, &NOWHERE);
        let text = |path: &str| {
            let path = format!("/home/dev/.gemini/extensions/tollgate/{path}");
            let file = files.iter().find(|file| file.path == path).unwrap();
            match &file.content {
                OwnContent::Whole(text) => text.clone(),
                OwnContent::Part(_) => panic!("{path} is a part"),
            }
        };
        assert!(text("commands/tollgate/do.toml").contains("\n{{args}}\n"));
        let agent = text("agents/prompt-hydrator.md");
        assert_eq!(
            in_head(&agent, "name", ':').as_deref(),
            Some("tollgate-prompt-hydrator")
        );
        assert!(text::json::object(&text("gemini-extension.json")).is_ok());
        let project = "/p/.gemini/agents/x.md";
        let host = &super::super::HOST;
        assert_eq!(host.takes(project, &agent), Some(Helper::Hydrator));
        assert_eq!(host.takes(project, "---\nname: mine\n---\n"), None);
        let off = r#"{"agents":{"overrides":{"tollgate-remember":{"enabled":false}}}}"#;
        assert!(are_off(off) && !are_off(r#"{"agents":{"overrides":{"x":{}}}}"#));
    }
}
