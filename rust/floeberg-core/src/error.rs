//! What went wrong, where, and can a retry help?
//!
//! In: a kind and a sentence, then context while the error travels upward. Out: one line for a person,
//! and a kind that a program can match.
//!
//! Invariant: a message never holds a secret; kinds are a closed set, messages are free.

mod secret;

use std::borrow::Cow;
use std::fmt;

pub use secret::without_passwords;

/// The result of every fallible function of Floeberg.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What class of thing went wrong. Each kind is one exception class in Python.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A requested file, table, snapshot, ref or column does not exist.
    NotFound,
    /// Something exists that must not exist.
    AlreadyExists,
    /// An argument of the caller is invalid.
    InvalidInput,
    /// A file of the table is damaged or breaks the specification.
    InvalidData,
    /// The table or request is valid, and this version of Floeberg cannot serve it.
    Unsupported,
    /// Another writer was faster, and the commit conflicts with its changes.
    CommitConflict,
    /// Whether a commit took effect is not known.
    CommitStateUnknown,
    /// The store refused access.
    PermissionDenied,
    /// The store failed.
    Storage,
    /// A configured limit (memory, decompressed size, depth) would be passed.
    LimitExceeded,
    /// The caller cancelled the work.
    Cancelled,
    /// A fault of Floeberg itself.
    Internal,
}

/// An error: kind, message, where it happened and whether a retry can help.
///
/// Displayed as one line: `what failed: why (path: s3://b/k, snapshot: 12)`.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    message: String,
    context: Vec<(&'static str, String)>,
    retryable: bool,
    outcome_unknown: bool,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error of a kind with a message that says what was expected and what was found.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: shown(message.into()),
            context: Vec::new(),
            retryable: false,
            outcome_unknown: false,
            source: None,
        }))
    }

    /// A file of the table is damaged or breaks the specification.
    pub fn invalid_data(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidData, message)
    }

    /// An argument of the caller is invalid.
    pub fn invalid_input(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidInput, message)
    }

    /// Valid, but not served by this version.
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unsupported, message)
    }

    /// A requested thing does not exist.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    /// A limit would be passed.
    pub fn limit(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::LimitExceeded, message)
    }

    /// A fault of Floeberg itself.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message)
    }

    /// Adds where it happened. A key that is already there keeps its first, innermost value.
    #[must_use]
    pub fn with(mut self, key: &'static str, value: impl fmt::Display) -> Self {
        if !self.0.context.iter().any(|(known, _)| *known == key) {
            self.0.context.push((key, shown(value.to_string())));
        }
        self
    }

    /// Sets whether a retry can help.
    #[must_use]
    pub fn retryable(mut self, retryable: bool) -> Self {
        self.0.retryable = retryable;
        self
    }

    /// Marks that the work may have taken effect: only the answer may have been lost.
    #[must_use]
    pub fn outcome_unknown(mut self) -> Self {
        self.0.outcome_unknown = true;
        self
    }

    /// Keeps the error of a library as the cause.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// The same error as `InvalidInput`: a parser of files was used for input of the caller.
    #[must_use]
    pub fn of_input(mut self) -> Self {
        self.0.kind = ErrorKind::InvalidInput;
        self
    }

    /// The kind.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The message without its context.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Where it happened, innermost first.
    pub fn context(&self) -> &[(&'static str, String)] {
        &self.0.context
    }

    /// Can a retry help?
    pub fn is_retryable(&self) -> bool {
        self.0.retryable
    }

    /// May the work have taken effect? Then a commit must check before anything is removed or retried.
    pub fn is_outcome_unknown(&self) -> bool {
        self.0.outcome_unknown
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        for (position, (key, value)) in self.0.context.iter().enumerate() {
            let open = if position == 0 { " (" } else { ", " };
            write!(f, "{open}{key}: {value}")?;
        }
        if self.0.context.is_empty() { Ok(()) } else { f.write_str(")") }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.0.kind)?;
        match &self.0.source {
            Some(source) => write!(f, "; caused by: {source}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

/// Adds context to the error of a result.
pub trait Context<T> {
    /// Adds where it happened.
    fn context(self, key: &'static str, value: impl fmt::Display) -> Result<T>;
}

impl<T> Context<T> for Result<T> {
    fn context(self, key: &'static str, value: impl fmt::Display) -> Result<T> {
        self.map_err(|error| error.with(key, value))
    }
}

/// A text without the passwords of locations in it.
fn shown(text: String) -> String {
    match without_passwords(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(shown) => shown,
    }
}

/// The first 64 characters of a text, for a message: what others wrote may be of any length.
pub fn beginning(text: impl fmt::Display) -> String {
    text.to_string().chars().take(64).collect()
}
