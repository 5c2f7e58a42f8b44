//! What was asked for on the command line? One place, and `--name value` pairs.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

use floeberg_core::{Error, Result};

/// The arguments of a program of the benches.
pub struct Arguments {
    usage: &'static str,
    first: Option<String>,
    options: BTreeMap<String, String>,
}

impl Arguments {
    /// Those of this process.
    ///
    /// Errors: `InvalidInput` with the usage, for an option that the usage does not name or that has no value.
    pub fn parse(usage: &'static str) -> Result<Self> {
        let mut parsed = Self { usage, first: None, options: BTreeMap::new() };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            match word.strip_prefix("--") {
                Some(name) if usage.contains(&format!("--{name} ")) => {
                    let value = words.next().ok_or_else(|| parsed.wrong(&word))?;
                    parsed.options.insert(name.to_owned(), value);
                }
                None if parsed.first.is_none() => parsed.first = Some(word),
                _ => return Err(parsed.wrong(&word)),
            }
        }
        Ok(parsed)
    }

    /// The one argument without a name.
    ///
    /// Errors: `InvalidInput` where there is none.
    pub fn first<T: FromStr>(&self) -> Result<T> {
        let first = self.first.as_ref().and_then(|first| first.parse().ok());
        first.ok_or_else(|| self.wrong("nothing"))
    }

    /// The value of an option, or what it is when nobody says.
    ///
    /// Errors: `InvalidInput` for a value of another type.
    pub fn option<T: FromStr<Err: Display>>(&self, name: &str, usual: T) -> Result<T> {
        let Some(value) = self.options.get(name) else { return Ok(usual) };
        value
            .parse()
            .map_err(|error| Error::invalid_input(format!("--{name} {value}: {error}; {}", self.usage)))
    }

    fn wrong(&self, word: &str) -> Error {
        Error::invalid_input(format!("found {word}; expected {}", self.usage))
    }
}
