//! What does a check of a table find, whatever the format of the table?
//!
//! In: a rule, where it is broken, and how. Out: a finding.
//!
//! Invariant: a finding holds no secret, and its texts are bounded: what others wrote may be of any length.

mod findings;
mod rules;
mod sampling;

use std::fmt;

pub use findings::Findings;
pub use sampling::{check_sample, is_sampled, key_of};

use crate::error::{Error, ErrorKind, Result, without_passwords};

/// How many characters of a message or a part are kept.
const MOST_CHARACTERS: usize = 600;

/// What of a table a check looks at. Each level includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Metadata files.
    Metadata,
    /// What lists files.
    Manifests,
    /// That files are there, and what their footers say.
    Files,
    /// The rows of files.
    Rows,
}

impl Level {
    /// All levels, the shallowest first.
    pub const ALL: [Self; 4] = [Self::Metadata, Self::Manifests, Self::Files, Self::Rows];

    /// `metadata`, `manifests`, `files` or `rows`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Metadata => "metadata",
            Self::Manifests => "manifests",
            Self::Files => "files",
            Self::Rows => "rows",
        }
    }
}

/// What a broken rule leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Rows are wrong, or cannot be read.
    WrongData,
    /// Some engines fail to read or to write the table.
    EnginesFail,
    /// The table is slower than it could be.
    Slow,
    /// Nothing goes wrong because of it.
    Cosmetic,
}

impl Severity {
    /// All severities, the worst first.
    pub const ALL: [Self; 4] = [Self::WrongData, Self::EnginesFail, Self::Slow, Self::Cosmetic];

    /// `wrong-data`, `engines-fail`, `slow` or `cosmetic`.
    pub fn name(self) -> &'static str {
        match self {
            Self::WrongData => "wrong-data",
            Self::EnginesFail => "engines-fail",
            Self::Slow => "slow",
            Self::Cosmetic => "cosmetic",
        }
    }
}

/// A rule of a specification that can be checked from outside.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name, in kebab case.
    pub id: &'static str,
    /// The level that it is checked at.
    pub level: Level,
    /// What follows where it is broken.
    pub severity: Severity,
    /// The section of the specification.
    pub section: &'static str,
    /// The rule, in a sentence.
    pub says: &'static str,
    /// Which writers break it, or which engines fail, where that is known.
    pub engines: Option<&'static str>,
    /// The call that mends it, where there is one.
    pub repair: Option<&'static str>,
}

/// A rule that is broken at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// The file, as it is written in the table.
    pub location: String,
    /// The part of the file, such as `snapshots[2].schema-id` or `entry 3, column 5`; empty for the whole file.
    pub part: String,
    /// What was expected, and what was found.
    pub message: String,
    /// The snapshot, if the finding is of one.
    pub snapshot_id: Option<i64>,
}

impl Finding {
    /// A finding, with bounded texts.
    pub fn new(
        rule: &'static Rule,
        location: &str,
        part: impl fmt::Display,
        message: impl fmt::Display,
        snapshot_id: Option<i64>,
    ) -> Self {
        Self {
            rule,
            location: without_passwords(location).into_owned(),
            part: bounded(&part.to_string()),
            message: bounded(&without_passwords(&message.to_string())),
            snapshot_id,
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule.id, self.location)?;
        if !self.part.is_empty() {
            write!(f, ", {}", self.part)?;
        }
        write!(f, ": {}", self.message)
    }
}

/// Is it an error of a file, and not one of a store or of the caller?
pub fn is_of_file(error: &Error) -> bool {
    use ErrorKind as K;
    match error.kind() {
        K::NotFound | K::InvalidData | K::LimitExceeded | K::Unsupported | K::InvalidInput => true,
        // Floeberg's own fault, on a damaged file, is not that of the whole check.
        K::Internal => true,
        _ => false,
    }
}

/// Tells what is wrong with a file from what is wrong with a store.
///
/// Errors: those that are not of a file.
pub fn split<T>(answer: Result<T>) -> Result<std::result::Result<T, Error>> {
    match answer {
        Ok(answer) => Ok(Ok(answer)),
        Err(error) if is_of_file(&error) => Ok(Err(error)),
        Err(error) => Err(error),
    }
}

fn bounded(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARACTERS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static RULE: Rule = Rule {
        id: "a-rule",
        level: Level::Files,
        severity: Severity::Slow,
        section: "Manifests",
        says: "Something is so.",
        engines: None,
        repair: None,
    };

    #[test]
    fn texts_are_bounded_and_hold_no_password() {
        let long = "é".repeat(MOST_CHARACTERS + 1);
        let found = Finding::new(&RULE, "s3://key:secret@bucket/a", &long, "at s3://key:secret@b/c", Some(1));
        assert_eq!(found.location, "s3://***@bucket/a");
        assert_eq!(found.message, "at s3://***@b/c");
        assert_eq!(found.part.chars().count(), MOST_CHARACTERS + 3);
        assert_eq!(Finding::new(&RULE, "a", "", "b", None).to_string(), "a-rule: a: b");
        assert_eq!(Finding::new(&RULE, "a", "entry 1", "b", None).to_string(), "a-rule: a, entry 1: b");
    }

    #[test]
    fn levels_and_severities_are_ordered() {
        assert!(Level::ALL.is_sorted() && Severity::ALL.is_sorted());
        assert_eq!(Level::ALL.map(Level::name), ["metadata", "manifests", "files", "rows"]);
        assert_eq!(Severity::ALL.map(Severity::name), ["wrong-data", "engines-fail", "slow", "cosmetic"]);
    }
}
