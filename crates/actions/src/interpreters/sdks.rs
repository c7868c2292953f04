//! What a program deletes elsewhere through the library of a service, by the names of its calls: a
//! library is known by its name, a call by a last verb and what follows it.

use super::tokens::Token;
use crate::services::name_words;

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

/// Nouns of which a program deletes what it has in memory.
const IN_MEMORY: &[&str] = &[
    "args",
    "cookies",
    "entries",
    "headers",
    "items",
    "keys",
    "listeners",
    "options",
    "params",
    "searchParams",
    "timers",
    "values",
];

/// The first call of a service's library that deletes something there.
pub(super) fn deletes(tokens: &[Token]) -> Option<String> {
    if !tokens.iter().any(is_library) {
        return None;
    }
    let calls = tokens.iter().enumerate().filter_map(|(at, token)| {
        let name = token.name()?;
        let is_called = tokens.get(at + 1) == Some(&Token::Sign('('));
        is_called.then(|| (tokens.get(..at).unwrap_or_default(), name))
    });
    let mut calls = calls.filter(|(before, _)| !before.last().is_some_and(is_defining));
    let found = calls.find(|(before, name)| is_final(name) || ends_all(before, name));
    found.map(|(_, name)| name.trim_start_matches('.').to_owned())
}

/// Whether what follows is only said.
fn is_defining(token: &Token) -> bool {
    matches!(token.name(), Some("def" | "fn" | "func" | "function"))
}

/// `stripe.Customer.delete(…)`, `drive.files.delete(…)`, `service.files().delete(…)`: a verb behind
/// a class, or behind many of something.
fn ends_all(before: &[Token], name: &str) -> bool {
    const VERBS: &[&str] = &["del", "delete", "destroy"];
    let Some((holder, verb)) = name.rsplit_once('.') else {
        return false;
    };
    let called = match before {
        [.., Token::Name(name), Token::Sign('('), Token::Sign(')')] => name.as_str(),
        _ => "",
    };
    let noun = match holder {
        "" => called,
        holder => holder,
    };
    let noun = noun.rsplit('.').next().unwrap_or_default();
    let is_many = noun.ends_with('s') && noun.len() > 3;
    let is_class = noun.starts_with(|letter: char| letter.is_ascii_uppercase());
    let is_kept = !IN_MEMORY.contains(&noun) && !SMALL.iter().any(|own| noun.contains(own));
    VERBS.contains(&verb) && (is_many || is_class) && is_kept
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
    let words = name_words(called);
    let [first, rest @ ..] = words.as_slice() else {
        return false;
    };
    let rest = rest.iter().filter(|word| *word != "command");
    let rest: Vec<&String> = rest.collect();
    let is_small = |word: &&String| SMALL.contains(&word.as_str());
    FINAL.contains(&first.as_str()) && !rest.is_empty() && !rest.iter().any(is_small)
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
            (
                &PYTHON,
                "import stripe\nstripe.Customer.delete('cus_1')",
                true,
            ),
            (
                &PYTHON,
                "from googleapiclient.discovery import build\ns.files().delete(fileId='1')",
                true,
            ),
            (
                &NODE,
                "const {google} = require('googleapis'); drive.files.delete({fileId: '1'})",
                true,
            ),
            (
                &NODE,
                "const S = require('stripe'); url.searchParams.delete('a'); seen.delete(1)",
                false,
            ),
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
