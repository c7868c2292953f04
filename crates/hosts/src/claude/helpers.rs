//! The helpers in Claude Code: a plugin in a directory of ours that the user's settings name as a
//! marketplace and switch on, so that no option is needed and no copy is made.

use model::Helper;

use crate::Roots;
use crate::shared::helpers::{
    COMMANDS, HELPERS, HelperFile, Helpers, OurDirs, OwnContent, Part, SKILLS, dir, filled, headed,
    in_head, skill, text_of, whole,
};
use crate::shared::members;
use crate::shared::settings::SettingsError;
use text::json::object::Writer;
use text::json::text::quoted;

/// The plugin's name, its marketplace's, and the part before the colon of its agents' names.
const PLUGIN: &str = "tollgate";
/// How settings name the plugin.
const ENABLED: &str = "tollgate@tollgate";

const MARKETS: &str = "extraKnownMarketplaces";
const PLUGINS: &str = "enabledPlugins";

pub(super) const HELPERS_HERE: Helpers = Helpers {
    kind,
    files,
    are_off: |text| members::get(text, PLUGINS, ENABLED).is_ok_and(|on| on == Some("false")),
    name_of: |_, text| in_head(text, "name", ':'),
};

fn kind(helper: Helper) -> &'static str {
    text_of(helper).names.qualified
}

fn files(roots: &Roots<'_>, dirs: &OurDirs<'_>) -> Vec<HelperFile> {
    let ours = format!("{}/helpers/claude", dirs.config);
    let market = ".claude-plugin/marketplace.json";
    let plugin = ".claude-plugin/plugin.json";
    let mut files = vec![
        whole(&ours, market, MARKET.to_owned()),
        whole(&ours, &format!("{PLUGIN}/{plugin}"), PLUGIN_JSON.to_owned()),
    ];
    let ours_too = format!("{ours}/{PLUGIN}");
    files.extend(HELPERS.iter().map(|words| {
        let name = words.helper.name();
        let tools = match words.runs {
            "" => "Read, Grep, Glob",
            _ => "Bash",
        };
        let mut head = vec![
            ("name", name),
            ("description", words.about),
            ("tools", tools),
        ];
        if words.is_small {
            head.push(("model", "haiku"));
        }
        if !words.runs.is_empty() {
            head.push(("background", "true"));
        }
        let path = format!("agents/{name}.md");
        whole(&ours_too, &path, headed(&head, words.text))
    }));
    files.extend(COMMANDS.iter().map(|command| {
        let text = filled(command.text, kind, "$ARGUMENTS");
        let head = [("description", command.about), ("argument-hint", "[words]")];
        let path = format!("commands/{}.md", command.name);
        whole(&ours_too, &path, headed(&head, &text))
    }));
    let skills = SKILLS.iter();
    files.extend(skills.map(|words| skill(&ours_too, words, kind)));
    let settings = [
        "$CLAUDE_CONFIG_DIR/settings.json",
        "~/.claude/settings.json",
    ];
    let reads = format!("Read(/{}/**)", dirs.requests);
    let of_plans = PLAN_RULES.iter().map(|rule| (*rule).to_owned());
    let allowed = [reads].into_iter().chain(of_plans).map(|rule| Part {
        ours: quoted(&rule),
        put: |text, rule| members::put_item(text, ALLOWED, rule),
        take: |text, rule| members::take_item(text, ALLOWED, rule),
    });
    let parts = [Part { ours, put, take }].into_iter().chain(allowed);
    files.extend(parts.filter_map(|part| {
        Some(HelperFile {
            path: dir(roots, &settings)?,
            content: OwnContent::Part(part),
        })
    }));
    files
}

/// What the client reads or runs without a question: a helper's context lies outside every project,
/// and where nobody is asked, a question is a refusal.
const ALLOWED: [&str; 2] = ["permissions", "allow"];

/// What a worker runs while it makes a plan. In plan mode the client lets it write nothing but the
/// plan, whatever its rules say of files; of commands it goes by them.
const PLAN_RULES: &[&str] = &["Bash(tollgate plan status)", "Bash(tollgate plan gap *)"];

const MARKET: &str = r#"{
  "name": "tollgate",
  "owner": { "name": "tollgate" },
  "plugins": [
    { "name": "tollgate", "source": "./tollgate", "description": "Tollgate's helpers." }
  ]
}
"#;

const PLUGIN_JSON: &str = r#"{
  "name": "tollgate",
  "version": "0.1.0",
  "description": "Tollgate's helpers, commands, and what its words mean."
}
"#;

/// Names the directory and switches the plugin on. What a person switched off stays off, and a
/// marketplace of another kind stays theirs.
fn put(text: &str, ours: &str) -> Result<String, SettingsError> {
    let source = Writer::default()
        .text("source", "directory")
        .text("path", ours);
    let market = Writer::default().object("source", &source).finish();
    let market = String::from_utf8_lossy(&market).trim_end().to_owned();
    let is_theirs = members::get(text, MARKETS, PLUGIN)?.is_some_and(|known| !is_ours(known));
    if is_theirs {
        return Ok(text.to_owned());
    }
    let text = members::put(text, [MARKETS, PLUGIN], &market)?;
    match members::get(&text, PLUGINS, ENABLED)? {
        Some(_) => Ok(text),
        None => members::put(&text, [PLUGINS, ENABLED], "true"),
    }
}

fn take(text: &str, _: &str) -> Result<Option<String>, SettingsError> {
    if !members::get(text, MARKETS, PLUGIN)?.is_some_and(is_ours) {
        return Ok(Some(text.to_owned()));
    }
    let Some(text) = members::take(text, [MARKETS, PLUGIN])? else {
        return Ok(None);
    };
    members::take(&text, [PLUGINS, ENABLED])
}

/// Whether a marketplace is a directory that we made.
fn is_ours(market: &str) -> bool {
    let market = text::json::object(market).unwrap_or_default();
    let source = market.get("source").and_then(|source| source.object());
    let source = source.unwrap_or_default();
    let path = source.text("path").unwrap_or_default();
    source.text("source").as_deref() == Some("directory")
        && path.ends_with("/tollgate/helpers/claude")
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIR: &str = "/home/dev/.config/tollgate/helpers/claude";

    #[test]
    fn the_reviewer_is_the_one_that_verdicts_are_taken_from() {
        let roots = Roots {
            home: "/home/dev",
            project: "",
            env: &|_| None,
        };
        let files = files(
            &roots,
            &OurDirs {
                config: "/home/dev/.config/tollgate",
                requests: "/state/requests",
            },
        );
        let text = |end: &str| {
            let file = files.iter().find(|file| file.path.ends_with(end)).unwrap();
            match &file.content {
                OwnContent::Whole(text) => text.clone(),
                OwnContent::Part(_) => panic!("{end} is a part"),
            }
        };
        for (path, ours) in super::super::review::REVIEW.plugin.iter().skip(1) {
            assert_eq!(text(path), *ours);
        }
        assert!(text::json::object(&text("marketplace.json")).is_ok());
        assert!(text::json::object(&text("plugin.json")).is_ok());
        assert!(text("agents/remember.md").contains("\nbackground: true\n"));
        assert!(text("commands/do.md").contains("$ARGUMENTS"));
        assert!(text("commands/do.md").contains("`tollgate:reviewer`"));
        assert!(files.iter().all(|file| file.path.starts_with('/')));
        assert!(
            files
                .last()
                .unwrap()
                .path
                .ends_with("/.claude/settings.json")
        );
    }

    #[test]
    fn settings_name_the_plugin_and_are_given_back() {
        for before in [
            "{}",
            "{\n  \"model\": \"opus\"\n}\n",
            "{\"enabledPlugins\":{\"a@b\":true},\"x\":1}",
            "{\n  \"extraKnownMarketplaces\": {\n    \"a\": {}\n  }\n}",
        ] {
            let with = put(before, DIR).unwrap();
            let value: serde_json::Value = serde_json::from_str(&with).unwrap();
            assert_eq!(value[PLUGINS][ENABLED], true, "{with}");
            assert_eq!(value[MARKETS][PLUGIN]["source"]["path"], DIR, "{with}");
            assert_eq!(put(&with, DIR).unwrap(), with);
            let moved = put(&with, "/x/tollgate/helpers/claude").unwrap();
            assert!(moved.contains("/x/") && !moved.contains(DIR), "{moved}");
            let without = take(&with, DIR).unwrap().unwrap();
            let value: serde_json::Value = serde_json::from_str(&without).unwrap();
            let first: serde_json::Value = serde_json::from_str(before).unwrap();
            assert_eq!(value, first, "{without}");
        }
    }

    #[test]
    fn a_context_file_may_be_read_and_the_rule_goes_again() {
        let rule = "\"Read(//state/requests/**)\"";
        for before in [
            "{}",
            "{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls:*)\"\n    ]\n  }\n}",
            "{\"permissions\":{\"deny\":[\"Read(x)\"]}}",
        ] {
            let with = members::put_item(before, ALLOWED, rule).unwrap();
            assert!(with.contains(rule), "{with}");
            assert_eq!(members::put_item(&with, ALLOWED, rule).unwrap(), with);
            let without = members::take_item(&with, ALLOWED, rule).unwrap();
            assert_eq!(without.as_deref(), Some(before));
        }
        assert!(members::put_item("{\"permissions\":{\"allow\":1}}", ALLOWED, rule).is_err());
    }

    #[test]
    fn what_is_a_persons_stays() {
        let off = r#"{"enabledPlugins":{"tollgate@tollgate":false}}"#;
        assert!(
            put(off, DIR)
                .unwrap()
                .contains("\"tollgate@tollgate\":false")
        );
        let theirs = r#"{"extraKnownMarketplaces":{"tollgate":{"source":{"source":"github"}}}}"#;
        assert_eq!(put(theirs, DIR).unwrap(), theirs);
        assert_eq!(take(theirs, DIR).unwrap().as_deref(), Some(theirs));
        assert!(put("{\"enabledPlugins\":[]}", DIR).is_err());
        assert!(put("[]", DIR).is_err());
    }
}
