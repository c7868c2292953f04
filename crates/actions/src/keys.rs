//! Whose a key is, by the name of its variable or by its form, and which hosts are its service's.

use crate::Arg;
use crate::address::{host, is_loopback};

/// Whose a key is.
pub(crate) struct Service {
    /// Variables that hold it, in capitals; other words may stand before them.
    variables: &'static [&'static str],
    /// How it begins.
    begins: &'static [&'static str],
    /// The hosts that it is for, and all below them.
    hosts: &'static [&'static str],
}

const fn service(
    variables: &'static [&'static str],
    begins: &'static [&'static str],
    hosts: &'static [&'static str],
) -> Service {
    Service {
        variables,
        begins,
        hosts,
    }
}

/// Services whose keys are known by their names and forms. One that many run at hosts of their own
/// is not among them.
const SERVICES: &[Service] = &[
    service(&["ANTHROPIC_API_KEY"], &["sk-ant-"], &["anthropic.com"]),
    service(
        &["AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"],
        &["AKIA", "ASIA"],
        &[
            "amazonaws.com",
            "amazonaws.com.cn",
            "aws.amazon.com",
            "api.aws",
        ],
    ),
    service(
        &["CLOUDFLARE_API_KEY", "CLOUDFLARE_API_TOKEN"],
        &[],
        &["cloudflare.com"],
    ),
    service(
        &["DIGITALOCEAN_ACCESS_TOKEN", "DIGITALOCEAN_TOKEN"],
        &["dop_v1_"],
        &["digitalocean.com"],
    ),
    service(
        &["DISCORD_BOT_TOKEN", "DISCORD_TOKEN"],
        &[],
        &["discord.com"],
    ),
    service(
        &["GOOGLE_API_KEY"],
        &["AIza"],
        &["google.com", "googleapis.com"],
    ),
    service(
        &["GH_PAT", "GH_TOKEN", "GITHUB_PAT", "GITHUB_TOKEN"],
        &["ghp_", "gho_", "ghs_", "ghu_", "github_pat_"],
        &[
            "ghcr.io",
            "ghe.com",
            "github.ai",
            "github.com",
            "githubusercontent.com",
        ],
    ),
    service(&["GROQ_API_KEY"], &["gsk_"], &["groq.com"]),
    service(&["HEROKU_API_KEY"], &[], &["heroku.com"]),
    service(
        &["HF_TOKEN", "HUGGINGFACE_TOKEN", "HUGGING_FACE_HUB_TOKEN"],
        &["hf_"],
        &["hf.co", "hf.space", "huggingface.cloud", "huggingface.co"],
    ),
    service(&["LINEAR_API_KEY"], &["lin_api_"], &["linear.app"]),
    service(&["MISTRAL_API_KEY"], &[], &["mistral.ai"]),
    service(&["NETLIFY_AUTH_TOKEN"], &["nfp_"], &["netlify.com"]),
    service(&["NOTION_API_KEY", "NOTION_TOKEN"], &[], &["notion.com"]),
    service(
        &["OPENAI_API_KEY"],
        &["sk-proj-", "sk-svcacct-"],
        &["azure.com", "openai.com"],
    ),
    service(&["OPENROUTER_API_KEY"], &["sk-or-"], &["openrouter.ai"]),
    service(&["SENDGRID_API_KEY"], &["SG."], &["sendgrid.com"]),
    service(
        &["SLACK_APP_TOKEN", "SLACK_BOT_TOKEN", "SLACK_TOKEN"],
        &["xapp-", "xoxa-", "xoxb-", "xoxp-"],
        &["slack.com"],
    ),
    service(
        &["STRIPE_API_KEY", "STRIPE_SECRET_KEY"],
        &["rk_live_", "sk_live_", "sk_test_"],
        &["stripe.com"],
    ),
    service(&["TELEGRAM_BOT_TOKEN"], &[], &["telegram.org"]),
    service(&["TWILIO_AUTH_TOKEN"], &[], &["twilio.com"]),
    service(&["VERCEL_TOKEN"], &[], &["vercel.com"]),
];

/// Fewest letters of a key.
const KEY_MIN: usize = 16;

/// The host in an address that a key may go astray to: none of this machine or its network, which
/// may stand for anybody.
pub(crate) fn foreign(address: &str) -> Option<String> {
    let is_url = address.starts_with("https://") || address.starts_with("http://");
    let host = host(address).to_lowercase();
    (is_url && !is_loopback(address) && !is_near(&host)).then_some(host)
}

/// The host that an address gives a key to that is another's, if a key stands in it.
pub(crate) fn astray_in(address: &str) -> Option<String> {
    let host = foreign(address)?;
    let mut texts = address.split(|c: char| c.is_whitespace() || "=&?/,#".contains(c));
    let service = texts.find_map(by_form)?;
    (!service.is_at(&host)).then_some(host)
}

/// Whether a host is one of this network, or not known.
fn is_near(host: &str) -> bool {
    let is_number = host.bytes().all(|c| c.is_ascii_digit() || c == b'.');
    let is_inside = [".internal", ".lan", ".local", ".test"]
        .iter()
        .any(|end| host.ends_with(end));
    is_number || is_inside || !host.contains('.') || host.contains(Arg::HOLE)
}

/// Whose a key is by its form.
pub(crate) fn by_form(text: &str) -> Option<&'static Service> {
    let begins = |service: &&Service| service.begins.iter().any(|begin| text.starts_with(begin));
    SERVICES
        .iter()
        .find(begins)
        .filter(|_| text.len() >= KEY_MIN)
}

/// Whose a key is by the name of its variable.
pub(crate) fn by_variable(name: &str) -> Option<&'static Service> {
    let is_it = |own: &&str| {
        let before = name.strip_suffix(*own);
        before.is_some_and(|before| before.is_empty() || before.ends_with('_'))
    };
    SERVICES
        .iter()
        .find(|service| service.variables.iter().any(is_it))
}

impl Service {
    /// Whether a host is one of the service's, or one that somebody runs of it and calls by its
    /// name (`github.acme.com`).
    pub(crate) fn is_at(&self, host: &str) -> bool {
        let is_own = |own: &&str| {
            let before = host.strip_suffix(own);
            before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
        };
        let name = |own: &&str| own.split('.').next().unwrap_or_default().to_owned();
        self.hosts.iter().any(is_own)
            || self
                .hosts
                .iter()
                .any(|own| host.split('.').next() == Some(&name(own)))
    }
}
