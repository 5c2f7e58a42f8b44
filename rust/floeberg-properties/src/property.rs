//! How is a property of a table read?
//!
//! In: properties, as texts. Out: numbers, flags and words.
//! Spec: Iceberg documentation, Configuration (table properties).
//!
//! Invariant: an invalid value is an error that names the property, never the default.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use floeberg_core::{Error, Result};

/// The properties of a table, as they are written.
pub type Properties = BTreeMap<String, String>;

/// `true` or `false`.
#[derive(Debug, Clone, Copy)]
pub struct Flag {
    /// Its key.
    pub name: &'static str,
    /// Its default.
    pub default: bool,
}

/// A whole number.
#[derive(Debug, Clone, Copy)]
pub struct Whole {
    /// Its key.
    pub name: &'static str,
    /// Its default.
    pub default: u64,
    /// Its minimum.
    pub least: u64,
}

/// A number between 0 and 1.
#[derive(Debug, Clone, Copy)]
pub struct Share {
    /// Its key.
    pub name: &'static str,
    /// Its default.
    pub default: f64,
}

/// One of some words, in any case.
#[derive(Debug, Clone, Copy)]
pub struct Words {
    /// Its key.
    pub name: &'static str,
    /// Its default.
    pub default: &'static str,
    /// Its possible values.
    pub allowed: &'static [&'static str],
}

/// A property that has a meaning.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    /// Its key. A key that ends with a dot is followed by the name of a column.
    pub name: &'static str,
    /// What its value is.
    pub kind: Kind,
    /// Its default.
    pub default: PropertyDefault,
    /// What this library does with it.
    pub in_use: Use,
    /// The meaning of the property, in one line.
    pub meaning: &'static str,
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Flag,
    /// A whole number of at least this.
    Whole(u64),
    /// A number between 0 and 1.
    Share,
    /// One of these words, in any case.
    Words(&'static [&'static str]),
    /// Any text.
    Text,
    /// Which metrics are kept of a column.
    Metrics,
    /// A name mapping, as JSON.
    Mapping,
    /// What Avro files are compressed by, together with others.
    Avro,
    /// What Parquet files follow, together with others.
    Parquet,
    /// What ORC files follow, together with others.
    Orc,
    /// What manifests are compressed by, together with others.
    Manifest,
}

/// What a property is where it is not set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PropertyDefault {
    /// A flag.
    Flag(bool),
    /// A whole number.
    Whole(u64),
    /// A number.
    Share(f64),
    /// A word.
    Word(&'static str),
    /// The property has no default, or one that depends on other things.
    None,
}

/// What this library does with a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// This version follows the property.
    Followed,
    /// This version keeps the property for other engines, and checks its value.
    Kept,
    /// The property cannot be set, since files would not follow it: why.
    Refused(&'static str),
}

impl Flag {
    /// Its value. Errors: `InvalidInput`.
    pub fn of(self, properties: &Properties) -> Result<bool> {
        flag(properties, self.name, self.default)
    }

    /// Its value for a column, where the name ends with a dot. Errors: `InvalidInput`.
    pub fn of_column(self, properties: &Properties, column: &str) -> Result<bool> {
        flag(properties, &format!("{}{column}", self.name), self.default)
    }

    pub(crate) const fn known(self, meaning: &'static str) -> Known {
        let default = PropertyDefault::Flag(self.default);
        Known { name: self.name, kind: Kind::Flag, default, in_use: Use::Followed, meaning }
    }
}

impl Whole {
    /// Its value. Errors: `InvalidInput`.
    pub fn of(self, properties: &Properties) -> Result<u64> {
        Ok(self.if_set(properties)?.unwrap_or(self.default))
    }

    /// Its value, if it is set. Errors: `InvalidInput`.
    pub fn if_set(self, properties: &Properties) -> Result<Option<u64>> {
        whole(properties, self.name, self.least)
    }

    pub(crate) const fn known(self, meaning: &'static str) -> Known {
        Known::whole(self.name, PropertyDefault::Whole(self.default), self.least, meaning)
    }

    pub(crate) const fn known_with(self, kind: Kind, meaning: &'static str) -> Known {
        Known { kind, ..self.known(meaning) }
    }
}

impl Share {
    /// Its value for a column. Errors: `InvalidInput`.
    pub fn of_column(self, properties: &Properties, column: &str) -> Result<f64> {
        Ok(share(properties, &format!("{}{column}", self.name))?.unwrap_or(self.default))
    }

    pub(crate) const fn known(self, meaning: &'static str) -> Known {
        let default = PropertyDefault::Share(self.default);
        Known { name: self.name, kind: Kind::Share, default, in_use: Use::Followed, meaning }
    }
}

impl Words {
    /// Its word, in lower case. Errors: `InvalidInput`.
    pub fn of(self, properties: &Properties) -> Result<&'static str> {
        match properties.get(self.name) {
            None => Ok(self.default),
            Some(text) => word(self.name, text, self.allowed),
        }
    }

    pub(crate) const fn known(self, meaning: &'static str) -> Known {
        Known::words(self.name, PropertyDefault::Word(self.default), self.allowed, meaning)
    }

    pub(crate) const fn known_with(self, kind: Kind, meaning: &'static str) -> Known {
        Known { kind, ..self.known(meaning) }
    }
}

impl Known {
    pub(crate) const fn whole(
        name: &'static str,
        default: PropertyDefault,
        least: u64,
        meaning: &'static str,
    ) -> Self {
        Self { name, kind: Kind::Whole(least), default, in_use: Use::Followed, meaning }
    }

    pub(crate) const fn words(
        name: &'static str,
        default: PropertyDefault,
        words: &'static [&'static str],
        meaning: &'static str,
    ) -> Self {
        Self { name, kind: Kind::Words(words), default, in_use: Use::Followed, meaning }
    }

    pub(crate) const fn text(name: &'static str, kind: Kind, meaning: &'static str) -> Self {
        Self { name, kind, default: PropertyDefault::None, in_use: Use::Followed, meaning }
    }

    pub(crate) const fn refused(name: &'static str, why: &'static str) -> Self {
        Self {
            name,
            kind: Kind::Text,
            default: PropertyDefault::None,
            in_use: Use::Refused(why),
            meaning: "",
        }
    }

    /// The property, kept for other engines.
    pub(crate) const fn kept(self) -> Self {
        Self { in_use: Use::Kept, ..self }
    }

    /// What its names begin with, where it is of columns.
    pub fn prefix(&self) -> Option<&'static str> {
        (self.name.ends_with(".column.")).then_some(self.name)
    }

    /// Is a property this one, or one of its columns?
    pub fn is_of(&self, name: &str) -> bool {
        self.name == name || self.name.ends_with('.') && name.starts_with(self.name)
    }
}

impl fmt::Display for PropertyDefault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => write!(formatter, "{flag}"),
            Self::Whole(number) => write!(formatter, "{number}"),
            Self::Share(share) => write!(formatter, "{share}"),
            Self::Word(word) => formatter.write_str(word),
            Self::None => Ok(()),
        }
    }
}

/// A number, or another value that is parsed from a string; `None` if it is not set. Errors: `InvalidInput`.
pub fn parsed<T: FromStr>(properties: &Properties, name: &str, expected: &str) -> Result<Option<T>> {
    let Some(text) = properties.get(name) else { return Ok(None) };
    text.trim().parse().map(Some).map_err(|_| unexpected(name, text, expected))
}

/// `true` or `false`, in any case. Errors: `InvalidInput`.
pub fn flag(properties: &Properties, name: &str, default: bool) -> Result<bool> {
    match properties.get(name).map(|text| text.trim().to_ascii_lowercase()).as_deref() {
        None => Ok(default),
        Some("true") => Ok(true),
        Some("false") => Ok(false),
        Some(other) => Err(unexpected(name, other, "true or false")),
    }
}

/// A whole number of at least this; `None` if it is not set. Errors: `InvalidInput`.
pub fn whole(properties: &Properties, name: &str, least: u64) -> Result<Option<u64>> {
    let expected = format!("a whole number of at least {least}");
    match parsed::<u64>(properties, name, &expected)? {
        Some(number) if number < least => Err(unexpected(name, number, &expected)),
        number => Ok(number),
    }
}

/// A number between 0 and 1; `None` if it is not set. Errors: `InvalidInput`.
pub fn share(properties: &Properties, name: &str) -> Result<Option<f64>> {
    let expected = "a number between 0 and 1";
    match parsed::<f64>(properties, name, expected)? {
        Some(share) if !(share > 0.0 && share < 1.0) => Err(unexpected(name, share, expected)),
        share => Ok(share),
    }
}

/// One of some words. Errors: `InvalidInput`.
pub fn word(name: &str, text: &str, words: &'static [&'static str]) -> Result<&'static str> {
    let found = words.iter().find(|word| word.eq_ignore_ascii_case(text.trim()));
    found.copied().ok_or_else(|| unexpected(name, text, &one_of(words)))
}

/// Words as a sentence has them: `a, b or c`.
fn one_of(words: &[&str]) -> String {
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// The error of a property with an invalid value.
pub fn unexpected(name: &str, found: impl fmt::Display, expected: &str) -> Error {
    Error::invalid_input(format!("expected {expected}, found {:?}", found.to_string())).with("property", name)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::BTreeMap;

    use super::{flag, parsed};

    #[test]
    fn values_are_read_as_what_they_are_to_be() {
        let pairs = [("n", " 12 "), ("yes", "TRUE"), ("no", "false"), ("other", "1,5")];
        let properties: BTreeMap<_, _> =
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        assert_eq!(parsed::<u8>(&properties, "n", "a number").unwrap(), Some(12));
        assert_eq!(parsed::<u8>(&properties, "none", "a number").unwrap(), None);
        assert!(flag(&properties, "yes", false).unwrap() && !flag(&properties, "no", true).unwrap());
        assert!(flag(&properties, "none", true).unwrap() && !flag(&properties, "none", false).unwrap());
        for error in [
            parsed::<u8>(&properties, "other", "a whole number").unwrap_err(),
            flag(&properties, "other", true).unwrap_err(),
        ] {
            assert_eq!(error.context(), [("property", "other".to_owned())]);
            assert!(error.message().ends_with("found \"1,5\""), "{error}");
        }
    }
}
