//! Addresses of machines, as text.

/// The host in an address, without user and port.
pub(crate) fn host(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    host.split(':').next().unwrap_or_default()
}

/// Whether an address, with or without scheme, user and port, is one of this machine.
pub(crate) fn is_loopback(address: &str) -> bool {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    if host.starts_with("[::1]") || host == "::1" {
        return true;
    }
    let host = host.split([':', ',']).next().unwrap_or_default();
    let is_near = ["localhost", "0.0.0.0", "host.docker.internal"].contains(&host);
    is_near
        || host.ends_with(".localhost")
        || host.starts_with("127.")
        // `:8000/items`: short for this machine.
        || host.is_empty() && authority.len() > 1
}
