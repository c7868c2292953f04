//! What is done to services that are not on this machine, told by a verb and a noun: in the name of
//! a tool, or in the words of a program. Must not know any argument.

mod does;
mod words;

pub(crate) use does::Does;
pub(crate) use words::SMALL;

use words::*;

/// `get_secret_value`, `vault_read_secret`: whether the value of a secret is shown.
fn reveals(server: &[String], tool: &[String]) -> bool {
    let has = |known: &[&str]| tool.iter().any(|word| known.contains(&word.as_str()));
    let is_keeper = server.iter().any(|word| KEEPERS.contains(&word.as_str()));
    has(SHOWING) && (is_keeper || has(SECRETS)) && !has(ABOUT_SECRETS)
}

/// What a tool of a server does, both as words.
pub(crate) fn read(server: &[String], tool: &[String]) -> Option<Does> {
    if is_own(server) {
        return None;
    }
    let alone = ALONE
        .iter()
        .find(|(word, _)| tool.iter().any(|own| own == word));
    if let Some((_, does)) = alone {
        return Some(*does);
    }
    let ends = tool
        .last()
        .is_some_and(|word| TAKING.contains(&word.as_str()));
    let keeps = || server.iter().any(|word| KEEPERS.contains(&word.as_str()));
    let is_flush = matches!(tool, [.., first, last] if first == "flush" && last == "all");
    if is_flush {
        return Some(Does::Empties);
    }
    if ends && (manages(server) || keeps()) {
        return Some(Does::Destroys);
    }
    if pays(server, tool) {
        return Some(Does::Pays);
    }
    let is_said = |word: &&String| !HOW.contains(&word.as_str());
    let words: Vec<&str> = tool.iter().filter(is_said).map(String::as_str).collect();
    let is_reversed = || matches!(words.as_slice(), [noun, verb] if halts((verb, noun)));
    if let [first, .., last] = words.as_slice()
        && (halts((first, last)) || is_reversed())
    {
        return Some(Does::Halts);
    }
    let by_pair = words.windows(2).find_map(|pair| {
        let [first, second] = *pair else { return None };
        let has = |word: &str| is_one(first, word) || is_one(second, word);
        let mut pairs = PAIRS.iter();
        let named = pairs.find(|(one, other, _)| first == *one && is_one(second, other));
        let taking = TAKING.iter().find(|word| [first, second].contains(word));
        let noun = HOLDERS.iter().find(|noun| has(noun));
        let is_emptied = EMPTYING.contains(&first) && EMPTIED.contains(&second);
        match (named, taking, noun) {
            (Some((.., does)), ..) => Some(*does),
            (_, Some(&"remove"), Some(noun)) if LISTED.contains(noun) => None,
            (_, Some(&"terminate"), Some(noun)) if STARTED.contains(noun) => None,
            (_, Some(_), Some(_)) => Some(Does::Destroys),
            _ if is_emptied => Some(Does::Empties),
            _ => None,
        }
    });
    by_pair
        .or_else(|| takes_all(server, tool).then_some(Does::Destroys))
        .or_else(|| reveals(server, tool).then_some(Does::Reveals))
}

/// A word in the singular or the plural.
fn is_one(word: &str, noun: &str) -> bool {
    word == noun || word.strip_suffix('s') == Some(noun)
}

/// `deactivate_user`, `revoke_api_key`, `projects {action: pause}`
fn halts((first, last): (&str, &str)) -> bool {
    let is_served = |nouns: &[&str], word: &str| nouns.iter().any(|noun| is_one(word, noun));
    HALTING.iter().any(|(verbs, nouns)| {
        verbs.contains(&first) && is_served(nouns, last)
            || first.ends_with('s') && is_served(nouns, first) && verbs.contains(&last)
    })
}

/// Whether the first word is of the first list, and the other of the second. Of many, which are
/// what the tool is about, the verb may come behind.
fn is_pair(verbs: &[&str], nouns: &[&str], (one, other): (&str, &str)) -> bool {
    verbs.contains(&one) && nouns.contains(&other)
        || one.ends_with('s') && nouns.contains(&one) && verbs.contains(&other)
}

/// `create_refund`, `refunds {action: create}`: a verb and what is paid. `create_payment_link` and
/// `create_payment_intent` ask for money, and move none.
fn pays(server: &[String], tool: &[String]) -> bool {
    const REHEARSED: &[&str] = &["mock", "sandbox", "test"];
    let is_rehearsed = |word: &String| REHEARSED.contains(&word.as_str());
    let words = match tool {
        [verb, noun, last] if last == "intent" && verb != "create" => &[verb, noun],
        [first, .., last] => &[first, last],
        _ => return false,
    };
    let pair = (words[0].as_str(), words[1].as_str());
    let is_paid = is_pair(PAYING, PAYMENTS, pair);
    let is_moved = MOVING
        .iter()
        .any(|(verbs, nouns)| is_pair(verbs, nouns, pair));
    let is_spent = SPENDING.contains(&pair.0);
    (is_paid || is_moved || is_spent) && !server.iter().chain(tool).any(is_rehearsed)
}

/// `delete_workflow`, `storage_blob_delete`: whether a last word on anything is said, in front or
/// at the end.
fn takes_all(server: &[String], tool: &[String]) -> bool {
    // A server that stands for several services names the one in front.
    let is_own = |word: &&String| {
        server.contains(word) || word.as_str() == "api" || FAR.contains(&word.as_str())
    };
    let words: Vec<&str> = tool.iter().skip_while(is_own).map(String::as_str).collect();
    let mut said = words.iter().filter(|word| !HOW.contains(word));
    let (Some(first), Some(last)) = (said.next(), words.last()) else {
        return false;
    };
    // A tool of the host itself is the worker's own.
    let is_said =
        !server.is_empty() && words.len() > 1 && (FINAL.contains(first) || FINAL.contains(last));
    let is_small =
        |word: &&str| SMALL.contains(word) || SMALL_THERE.contains(word) || NOT_YET.contains(word);
    is_said && !words.iter().any(is_small)
}

/// Whether a server keeps what is the worker's own, or shows what only it sees.
pub(crate) fn is_own(server: &[String]) -> bool {
    server.iter().any(|word| OWN.contains(&word.as_str()))
}

/// Whether what a server does is done to what it manages elsewhere, whatever its paths.
pub(crate) fn manages(server: &[String]) -> bool {
    server.iter().any(|word| MANAGING.contains(&word.as_str()))
}

/// Whether the paths of a server are not on this machine.
pub(crate) fn is_far(server: &[String]) -> bool {
    server.iter().any(|word| FAR.contains(&word.as_str()))
}

/// The words of a name: `writeTextFile`, `write_text_file` → write, text, file.
pub(crate) fn name_words(tool: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for character in tool.chars() {
        let starts_word = !character.is_alphanumeric() || character.is_uppercase() && was_lower;
        if starts_word {
            words.push(String::new());
        }
        if character.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
        was_lower = character.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_and_a_noun_say_what_goes() {
        for (server, tool, does) in [
            ("neon", "delete_project", Some(Does::Destroys)),
            ("cloudflare", "d1_database_delete", Some(Does::Destroys)),
            ("redis", "flushdb", Some(Does::Empties)),
            ("terraform", "destroy", Some(Does::Destroys)),
            ("pulumi", "pulumi-cli-destroy", Some(Does::Destroys)),
            ("helm", "uninstall", Some(Does::Destroys)),
            ("terraform", "plan_destroy_preview", None),
            ("github", "merge_pull_request", Some(Does::Merges)),
            ("github", "create_release", Some(Does::Releases)),
            ("memory", "delete_entities", None),
            ("hub", "github_delete_ref", Some(Does::Destroys)),
            ("hub", "gitlab_list_refs", None),
            ("n8n", "n8n_delete_workflow", Some(Does::Destroys)),
            ("azure", "storage_account_delete", Some(Does::Destroys)),
            ("notion", "API-delete-a-block", Some(Does::Destroys)),
            ("redis", "delete", None),
            ("cloudflare", "purge_cache", None),
            ("docs", "undo_delete", None),
            ("gmail", "delete_draft", None),
            ("playwright", "browser_drop", None),
            ("slack", "remove_user_from_view", None),
            ("obsidian", "delete_note", Some(Does::Destroys)),
            ("github", "list_deleted_branches", None),
            (
                "aws",
                "secretsmanager_get_secret_value",
                Some(Does::Reveals),
            ),
            ("vault", "read_secret", Some(Does::Reveals)),
            ("infisical", "get-secret", Some(Does::Reveals)),
            ("infisical", "list-secrets", None),
            ("1password", "get_item", Some(Does::Reveals)),
            ("1password", "list_items", None),
            ("github", "get_secret_scanning_alert", None),
            ("gcp", "get_secret_metadata", None),
            ("supabase", "pause_project", Some(Does::Halts)),
            ("spotify", "pause_playback", None),
            ("sheets", "clear_values", Some(Does::Empties)),
            ("sheets", "clear_format", None),
            ("okta", "deactivate_user", Some(Does::Halts)),
            ("okta", "activate_user", None),
            ("hub", "revoke_api_key", Some(Does::Halts)),
            ("crm", "bulk_delete_contacts", Some(Does::Destroys)),
            ("shop", "cancel_order", Some(Does::Destroys)),
            ("shop", "cancel_upload", None),
            ("social", "publish_post", Some(Does::Releases)),
            ("mail", "send_message", None),
            ("mail", "send_campaign", Some(Does::Releases)),
            ("registrar", "buy_domain", Some(Does::Pays)),
            ("docker", "stop_container", None),
            ("cloud", "reboot_vm", Some(Does::Halts)),
            ("mobile", "terminate_app", None),
            ("cloud", "terminate_instance", Some(Does::Destroys)),
            ("editor", "lock_layer", None),
            ("qdrant", "delete_collection_name", Some(Does::Destroys)),
            ("stripe", "create_refund", Some(Does::Pays)),
            ("stripe", "list_refunds", None),
            ("stripe", "create_payment_link", None),
            ("stripe", "create_payment_intent", None),
            ("stripe", "confirm_payment_intent", Some(Does::Pays)),
            ("paypal", "pay_order", Some(Does::Pays)),
            ("wallet", "transfer_funds", Some(Does::Pays)),
            ("stripe-sandbox", "create_refund", None),
            ("github", "transfer_issue", None),
            ("files", "send_file", None),
        ] {
            let found = read(&name_words(server), &name_words(tool));
            assert_eq!(found, does, "{server} {tool}");
        }
    }

    #[test]
    fn names_are_words() {
        assert_eq!(name_words("writeTextFile"), ["write", "text", "file"]);
        assert_eq!(
            name_words("d1_database-delete"),
            ["d1", "database", "delete"]
        );
    }
}
