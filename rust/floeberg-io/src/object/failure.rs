//! What does a failed request mean, and which part of it may be shown?
//!
//! In: an error of the client library. Out: an error with a kind and a sentence without secrets.
//!
//! Invariant: the message never contains the query or the user of a URL, nor the value of a secret option. The
//! library's error contains all three, so it is not kept as the cause.

use floeberg_core::{Error, ErrorKind};

use crate::location::shown;
use crate::options::StoreOptions;

/// Bodies of servers can be pages long.
const LONGEST_MESSAGE: usize = 600;

/// The error of a request for a location.
pub(super) fn describe(error: &object_store::Error, location: &str, options: &StoreOptions) -> Error {
    use object_store::Error as E;
    if matches!(error, E::Precondition { .. }) {
        return replaced(location);
    }
    let (kind, message) = match error {
        E::NotFound { .. } => (ErrorKind::NotFound, "the file does not exist".to_owned()),
        E::AlreadyExists { .. } => (ErrorKind::AlreadyExists, "the file exists already".to_owned()),
        E::PermissionDenied { .. } | E::Unauthenticated { .. } => {
            (ErrorKind::PermissionDenied, format!("access was denied: {error}"))
        }
        E::InvalidPath { .. } | E::UnknownConfigurationKey { .. } => {
            (ErrorKind::InvalidInput, error.to_string())
        }
        E::NotSupported { .. } | E::NotImplemented { .. } => (ErrorKind::Unsupported, error.to_string()),
        _ => (ErrorKind::Storage, format!("the store failed: {error}")),
    };
    // The client has used up its retries; the caller can still retry later.
    let passing = kind == ErrorKind::Storage;
    Error::new(kind, without_secrets(&message, options)).with("path", shown(location)).retryable(passing)
}

/// The error of an object that is not the one that was there before.
pub(super) fn replaced(location: &str) -> Error {
    let message = "the file was replaced while it was read: its size or its ETag is another one than before";
    Error::invalid_data(message).with("path", shown(location))
}

/// Is it about a range that starts past the end?
pub(super) fn is_about_range(error: &object_store::Error) -> bool {
    let text = error.to_string();
    ["416", "InvalidRange", "Wanted range starting at"].iter().any(|sign| text.contains(sign))
}

/// The text without queries and users of URLs, and without values of options that may be secret.
pub(super) fn without_any_secret(text: &str, options: &StoreOptions) -> String {
    let mut clean = without_queries(text);
    for secret in options.secrets() {
        clean = clean.replace(secret, "***");
    }
    clean
}

/// The same, cut where it is long.
pub(super) fn without_secrets(text: &str, options: &StoreOptions) -> String {
    let clean = without_any_secret(text, options);
    match clean.char_indices().nth(LONGEST_MESSAGE) {
        Some((end, _)) => format!("{}...", &clean[..end]),
        None => clean,
    }
}

/// Cuts `user@` and `?query` out of everything that looks like a URL.
fn without_queries(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, url) = rest.split_at(at + 3);
        let end = url.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ')' | '<' | '>' | '`'));
        let (url, after) = url.split_at(end.unwrap_or(url.len()));
        let url = &url[..url.find(['?', '#']).unwrap_or(url.len())];
        let host_end = url.find('/').unwrap_or(url.len());
        let host_start = url[..host_end].rfind('@').map_or(0, |at| at + 1);
        clean.push_str(before);
        clean.push_str(&url[host_start..]);
        rest = after;
    }
    clean.push_str(rest);
    clean
}
