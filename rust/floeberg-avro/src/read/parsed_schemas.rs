//! Which schemas were parsed before?
//!
//! The files of one writer repeat their schema, and to parse it takes longer than to decode a few records.
//!
//! Invariant: only a few small schemas are kept. A lock that is taken, maybe by a thread that a fork left behind, is not waited
//! for.

use std::sync::{Arc, Mutex};

use floeberg_core::Result;

use super::container::Container;
use crate::schema::{AvroSchema, parse_schema};

/// The most schemas that are kept.
pub(crate) const MOST: usize = 8;
/// Schemas whose JSON is longer are not cached, in bytes.
const LONGEST: usize = 64 << 10;

/// The schemas of files that were read, by their JSON.
#[derive(Debug, Default)]
pub struct ParsedSchemas(pub(crate) Mutex<Vec<Parsed>>);

#[derive(Debug)]
pub(crate) struct Parsed {
    json: Box<[u8]>,
    schema: Arc<AvroSchema>,
}

impl ParsedSchemas {
    /// The writer schema of a file.
    ///
    /// Errors: those of [`Container::schema`].
    pub fn of(&self, container: &Container<'_>) -> Result<Arc<AvroSchema>> {
        let json = container.schema_json()?;
        if let Some(known) = self.known(json) {
            return Ok(known);
        }
        let schema = Arc::new(parse_schema(json, container.limits())?);
        if json.len() <= LONGEST
            && let Ok(mut parsed) = self.0.try_lock()
        {
            if parsed.len() == MOST {
                parsed.remove(0);
            }
            parsed.push(Parsed { json: json.into(), schema: Arc::clone(&schema) });
        }
        Ok(schema)
    }

    fn known(&self, json: &[u8]) -> Option<Arc<AvroSchema>> {
        let parsed = self.0.try_lock().ok()?;
        parsed.iter().rev().find(|parsed| *parsed.json == *json).map(|parsed| Arc::clone(&parsed.schema))
    }
}
