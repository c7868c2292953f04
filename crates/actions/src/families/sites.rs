//! Folders that are put on a site for everybody, with whatever lies in them. A table.

use crate::Arg;
use crate::command_context::CommandContext;
use model::{Flags, ResourceKind, Verb};

/// One way to put a folder out.
struct Site {
    /// The programs that have it, parted by spaces.
    programs: &'static str,
    /// The words after the program, side by side; empty = none.
    words: &'static str,
    /// Options whose value is the folder, parted by spaces.
    options: &'static str,
    /// Whether the folder stands behind the words.
    is_operand: bool,
}

const fn site(
    programs: &'static str,
    words: &'static str,
    options: &'static str,
    is_operand: bool,
) -> Site {
    Site {
        programs,
        words,
        options,
        is_operand,
    }
}

const SITES: &[Site] = &[
    site("gh-pages", "", "--dist -d", false),
    site("ipfs", "add", "", true),
    site("neocities", "push", "", true),
    site("netlify netlify-cli ntl", "deploy", "--dir -d", false),
    site("surge", "", "--project -p", true),
    site("wrangler", "pages deploy", "--directory", true),
    site("wrangler", "pages publish", "--directory", true),
];

/// What is in the folder leaves this machine.
pub(super) fn put_out(context: &mut CommandContext<'_, '_>) {
    let program = context.invocation.program.as_str();
    let is_of = |site: &&Site| site.programs.split(' ').any(|name| name == program);
    let folders = SITES
        .iter()
        .filter(is_of)
        .find_map(|site| folders(site, &context.invocation.args))
        .unwrap_or_default();
    for folder in folders {
        context.read(&folder);
        let to = context.program.clone();
        context.act_on(Verb::Send, (ResourceKind::Url, &to), Flags::NONE);
    }
}

/// The folders that a command puts out, if it has the words.
fn folders(site: &Site, args: &[Arg]) -> Option<Vec<Arg>> {
    let is_option = |text: &str| site.options.split(' ').any(|option| option == text);
    let mut words = site.words.split_whitespace();
    let (mut found, mut wanted) = (Vec::new(), words.next());
    let (mut before, mut is_taken) = ("", !site.is_operand);
    for arg in args {
        let text = arg.text.as_str();
        let option = std::mem::replace(&mut before, text);
        if let Some((name, value)) = text.split_once('=')
            && is_option(name)
        {
            found.push(Arg {
                text: value.to_owned(),
                ..arg.clone()
            });
        } else if is_option(option) {
            found.push(arg.clone());
        } else if wanted.is_some() && !text.starts_with('-') {
            if wanted != Some(text) {
                return None;
            }
            wanted = words.next();
        } else if !is_taken && !text.starts_with('-') && !option.starts_with("--") {
            found.push(arg.clone());
            is_taken = true;
        }
    }
    wanted.is_none().then_some(found)
}
