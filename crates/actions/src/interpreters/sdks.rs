//! What a program deletes elsewhere through the library of a service, by the names of its calls: a
//! library is known by its name, a call by a last verb and what follows it.

use super::tokens::Token;

/// Names of such libraries, as they are imported.
const LIBRARIES: &[&str] = &[
    "airtable",
    "asana",
    "atlassian",
    "auth0",
    "azure",
    "boto",
    "boto3",
    "cloudinary",
    "contentful",
    "discord",
    "dropbox",
    "elasticsearch",
    "firebase_admin",
    "firebase-admin",
    "github",
    "gitlab",
    "google.cloud",
    "googleapiclient",
    "googleapis",
    "gspread",
    "hubspot",
    "huggingface_hub",
    "jira",
    "kubernetes",
    "linear_sdk",
    "mailchimp",
    "meilisearch",
    "milvus",
    "notion_client",
    "octokit",
    "openai",
    "opensearch",
    "pinecone",
    "pymilvus",
    "qdrant_client",
    "sanity",
    "sendgrid",
    "shopify",
    "slack_sdk",
    "stripe",
    "supabase",
    "twilio",
    "weaviate",
    "wandb",
    "mlflow",
    "runpod",
    "modal",
    "vercel",
    "cloudflare",
    "digitalocean",
    "linode",
    "hcloud",
    "openstack",
];

/// What the names of packages of one maker begin with.
const MAKERS: &[&str] = &[
    "@aws-sdk/",
    "@azure/",
    "@google-cloud/",
    "@hubspot/",
    "@kubernetes/",
    "@linear/",
    "@notionhq/",
    "@octokit/",
    "@pinecone-database/",
    "@qdrant/",
    "@sanity/",
    "@slack/",
    "@supabase/",
];

/// Verbs after which nothing is left, as names of calls begin.
const FINAL: &[&str] = &[
    "delete",
    "destroy",
    "erase",
    "permanently",
    "purge",
    "terminate",
    "wipe",
];

/// What is a mark, a wait or made again.
const SMALL: &[&str] = &[
    "after",
    "alias",
    "attribute",
    "cache",
    "comment",
    "cookie",
    "draft",
    "event",
    "hook",
    "key",
    "label",
    "marker",
    "message",
    "reaction",
    "request",
    "response",
    "result",
    "session",
    "tag",
    "tags",
    "temp",
    "tmp",
    "webhook",
];

/// The first call of a service's library that deletes something there.
pub(super) fn deletes(tokens: &[Token]) -> Option<String> {
    if !tokens.iter().any(is_library) {
        return None;
    }
    tokens.windows(3).find_map(|place| match place {
        [before, Token::Name(name), Token::Sign('(')] => {
            let is_said = before
                .name()
                .is_some_and(|word| matches!(word, "def" | "fn" | "func" | "function"));
            (!is_said && is_final(name)).then(|| name.trim_start_matches('.').to_owned())
        }
        _ => None,
    })
}

fn is_library(token: &Token) -> bool {
    let (Token::Name(name) | Token::Text(name)) = token else {
        return false;
    };
    let is_of = |known: &&str| {
        let rest = name.strip_prefix(*known);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/']))
    };
    LIBRARIES.iter().any(is_of) || MAKERS.iter().any(|own| name.starts_with(own))
}

/// `s3.delete_objects`, `api.deleteRepo`, `new DeleteTableCommand`: a verb and what it is said of.
/// A function of the program itself has no dot.
fn is_final(name: &str) -> bool {
    let called = name.rsplit('.').next().unwrap_or(name);
    let is_command = called.ends_with("Command");
    if !name.contains('.') && !is_command {
        return false;
    }
    let words = words(called);
    let [first, rest @ ..] = words.as_slice() else {
        return false;
    };
    let rest = rest.iter().filter(|word| *word != "command");
    let rest: Vec<&String> = rest.collect();
    let is_small = |word: &&String| SMALL.contains(&word.as_str());
    FINAL.contains(&first.as_str()) && !rest.is_empty() && !rest.iter().any(is_small)
}

/// `delete_objects`, `deleteObjects` → delete, objects.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for letter in name.chars() {
        if letter == '_' || letter.is_uppercase() && was_lower {
            words.push(String::new());
        }
        if letter != '_'
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        was_lower = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::super::language::{Language, NODE, PYTHON};
    use super::super::tokens::tokens;
    use super::deletes;

    #[test]
    fn calls_of_services_are_known_by_verb_and_noun() {
        let cases: &[(&Language, &str, bool)] = &[
            (
                &PYTHON,
                "import boto3\ns=boto3.client('s3')\ns.delete_objects(Bucket='b')",
                true,
            ),
            (
                &PYTHON,
                "from huggingface_hub import HfApi\nHfApi().delete_repo('a/b')",
                true,
            ),
            (
                &PYTHON,
                "from google.cloud import storage\nb.delete_blobs(x)",
                true,
            ),
            (&PYTHON, "import boto3\nq.delete_message(QueueUrl=u)", false),
            (
                &PYTHON,
                "import boto3\ns.list_objects_v2(Bucket='b')",
                false,
            ),
            (&PYTHON, "import shop\nshop.delete_order(3)", false),
            (&PYTHON, "import boto3\ndef delete_old(): pass", false),
            (&PYTHON, "import boto3\nprint('delete_objects(x)')", false),
            (
                &NODE,
                "const {S3Client, DeleteObjectCommand} = require('@aws-sdk/client-s3'); \
                 c.send(new DeleteObjectCommand({Key: 'a'}))",
                true,
            ),
            (
                &NODE,
                "import {Octokit} from '@octokit/rest'; o.repos.deleteRef(x)",
                true,
            ),
            (
                &NODE,
                "import {Octokit} from '@octokit/rest'; o.issues.deleteComment(x)",
                false,
            ),
        ];
        for (language, text, expected) in cases {
            let found = deletes(&tokens(text, language));
            assert_eq!(found.is_some(), *expected, "{text}: {found:?}");
        }
    }
}
