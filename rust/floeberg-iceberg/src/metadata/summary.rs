//! What does the summary of a snapshot say?
//!
//! A summary that was read from a metadata file stays text until somebody asks for it: a table with a long history
//! has many, and few are asked for.
//! Spec: Snapshots (`summary`).
//!
//! Invariant: the text was checked when the snapshot was read. It is an object whose values are strings.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

use serde::Deserialize;
use serde::de::{Deserializer as _, MapAccess, Visitor};

/// The keys of a summary without `operation`, and their values.
#[derive(Debug, Default)]
pub struct Summary {
    text: Option<SummaryText>,
    values: OnceLock<BTreeMap<String, String>>,
}

/// The text of a summary, as a part of its snapshot's text.
#[derive(Debug)]
struct SummaryText {
    snapshot: Arc<str>,
    range: Range<usize>,
}

impl SummaryText {
    fn text(&self) -> &str {
        self.snapshot.get(self.range.clone()).unwrap_or_default()
    }
}

impl Summary {
    /// A summary that stays text: a part of the snapshot's text that was checked.
    pub(super) fn of_text(snapshot: Arc<str>, range: Range<usize>) -> Self {
        Self { text: Some(SummaryText { snapshot, range }), values: OnceLock::new() }
    }

    /// The value of a key. A summary whose text does not have the key stays text.
    pub fn get(&self, key: &str) -> Option<&String> {
        if let (None, Some(text)) = (self.values.get(), &self.text) {
            let text = text.text();
            // An escape may spell any key.
            if !text.contains('\\') && !text.contains(key) {
                return None;
            }
        }
        self.values().get(key)
    }

    /// Shows a function the keys and their values, in no order. A summary that is text stays text.
    ///
    /// Errors: those of the function.
    pub fn visit<E>(&self, mut visit: impl FnMut(&str, &str) -> Result<(), E>) -> Result<(), E> {
        match &self.text {
            Some(text) if self.values.get().is_none() => {
                let mut result = Ok(());
                let visitor = Entries { visit: &mut visit, result: &mut result };
                // The text was checked: what ends early is an error of the function.
                let _ = serde_json::Deserializer::from_str(text.text()).deserialize_map(visitor);
                result
            }
            _ => self.values().iter().try_for_each(|(key, value)| visit(key, value)),
        }
    }

    fn values(&self) -> &BTreeMap<String, String> {
        self.values.get_or_init(|| {
            let text = self.text.as_ref().map(SummaryText::text);
            let read = text.and_then(|text| serde_json::from_str::<BTreeMap<String, String>>(text).ok());
            let mut values = read.unwrap_or_default();
            values.remove("operation");
            values
        })
    }
}

/// Shows the entries of a summary's text until the function fails.
struct Entries<'a, F, E> {
    visit: &'a mut F,
    result: &'a mut Result<(), E>,
}

impl<'de, E, F: FnMut(&str, &str) -> Result<(), E>> Visitor<'de> for Entries<'_, F, E> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of strings")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while let Some(Borrowed(key)) = entries.next_key()? {
            let Borrowed(value) = entries.next_value()?;
            if self.result.is_ok() && key != "operation" {
                *self.result = (self.visit)(&key, &value);
            }
        }
        Ok(())
    }
}

/// A string that is borrowed where no escape is in it.
#[derive(Deserialize)]
pub(super) struct Borrowed<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

impl Deref for Summary {
    type Target = BTreeMap<String, String>;

    fn deref(&self) -> &Self::Target {
        self.values()
    }
}

impl From<BTreeMap<String, String>> for Summary {
    fn from(values: BTreeMap<String, String>) -> Self {
        Self { text: None, values: OnceLock::from(values) }
    }
}

impl Clone for Summary {
    fn clone(&self) -> Self {
        Self::from(self.values().clone())
    }
}

impl PartialEq for Summary {
    fn eq(&self, other: &Self) -> bool {
        self.values() == other.values()
    }
}
