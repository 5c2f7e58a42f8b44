//! Which columns do the references by field id mean?
//!
//! In: a filter's JSON and the names of the columns by their ids. Out: the same JSON with names.
//! Spec: Expressions specification, Field references.
//!
//! Invariant: literals are left alone. Does not recurse.

use serde_json::Value as Json;

use crate::error::{Error, Result};

/// Gives every reference by id the name of its column.
///
/// Errors: `InvalidInput` for an id that no column has.
pub fn name_references(json: &mut Json, names: &dyn Fn(i32) -> Option<String>) -> Result<()> {
    let mut waiting = vec![json];
    while let Some(next) = waiting.pop() {
        match next {
            Json::Array(items) => waiting.extend(items),
            Json::Object(members) => {
                let is_reference = members.get("type").and_then(Json::as_str) == Some("reference");
                let is_named = members.contains_key("name") || members.contains_key("term");
                match members.get("id") {
                    Some(id) if is_reference && !is_named => {
                        let name = name_of(id, names)?;
                        members.insert("name".to_owned(), Json::String(name));
                    }
                    _ => waiting.extend(
                        members
                            .iter_mut()
                            .filter(|(key, _)| *key != "value" && *key != "values")
                            .map(|(_, value)| value),
                    ),
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn name_of(id: &Json, names: &dyn Fn(i32) -> Option<String>) -> Result<String> {
    let number = id.as_i64().and_then(|id| i32::try_from(id).ok());
    number.and_then(names).ok_or_else(|| {
        Error::invalid_input(format!(
            "a filter refers to the field id {id}, which no column of the schema has"
        ))
    })
}
