//! How are changes to a schema written?
//!
//! ```json
//! {"changes": [{"change": "add-column", "parent": "place", "name": "country", "type": "string"},
//!              {"change": "rename-column", "name": "ts", "new-name": "at"}],
//!  "allow-incompatible": false, "case-sensitive": true}
//! ```
//!
//! Each change is an object: `add-column` (`parent`, `name`, `type`, `required`, `doc`, `default`), `delete-column` (`name`),
//! `rename-column` (`name`, `new-name`), `update-type` (`name`, `type`), `update-doc` (`name`, `doc`), `update-default`
//! (`name`, `default`), `make-optional` (`name`), `require` (`name`), `move-first` (`name`), `move-before` (`name`,
//! `before`), `move-after` (`name`, `after`), `set-identifier-fields` (`names`), `union-by-name` (`schema`).

use serde_json::{Map, Value as Json};

use super::{AddedColumn, SchemaChange, SchemaChanges};
use crate::error::{Context as _, Error, Result, beginning};
use crate::schema::Type;
use crate::schema::json::{schema_from_json, type_from_json};

impl SchemaChanges {
    /// The changes of a JSON object. Errors: `InvalidInput`.
    pub fn from_json(json: &Json) -> Result<Self> {
        let object = Object::of(json)?;
        let Some(Json::Array(listed)) = object.get("changes") else {
            return Err(Error::invalid_input("expected a list of changes to a schema"));
        };
        let changes = listed.iter().map(|change| of_change(change).context("change", change));
        Ok(Self {
            changes: changes.collect::<Result<_>>()?,
            allow_incompatible: object.flag("allow-incompatible", false)?,
            case_sensitive: object.flag("case-sensitive", true)?,
        })
    }
}

fn of_change(json: &Json) -> Result<SchemaChange> {
    let object = Object::of(json)?;
    let name = || object.text("name");
    Ok(match object.text("change")?.as_str() {
        "add-column" => SchemaChange::Add(AddedColumn {
            parent: object.optional_text("parent")?,
            name: name()?,
            field_type: object.field_type()?,
            required: object.flag("required", false)?,
            doc: object.optional_text("doc")?,
            default: object.get("default").cloned(),
        }),
        "delete-column" => SchemaChange::Delete(name()?),
        "rename-column" => SchemaChange::Rename(name()?, object.text("new-name")?),
        "update-type" => SchemaChange::UpdateType(name()?, object.field_type()?),
        "update-doc" => SchemaChange::UpdateDoc(name()?, object.optional_text("doc")?),
        "update-default" => SchemaChange::UpdateDefault(name()?, object.get("default").cloned()),
        "make-optional" => SchemaChange::MakeOptional(name()?),
        "require" => SchemaChange::Require(name()?),
        "move-first" => SchemaChange::MoveFirst(name()?),
        "move-before" => SchemaChange::MoveBefore(name()?, object.text("before")?),
        "move-after" => SchemaChange::MoveAfter(name()?, object.text("after")?),
        "set-identifier-fields" => {
            let names = object.get("names").and_then(Json::as_array);
            let names =
                names.and_then(|names| names.iter().map(|name| name.as_str().map(str::to_owned)).collect());
            SchemaChange::SetIdentifierFields(
                names.ok_or_else(|| Error::invalid_input("expected a list of strings as \"names\""))?,
            )
        }
        "union-by-name" => {
            let schema =
                schema_from_json(object.get("schema").unwrap_or(&Json::Null)).map_err(Error::of_input)?;
            SchemaChange::Union(Box::new(schema))
        }
        other => {
            return Err(Error::invalid_input(format!("unknown change to a schema: {:?}", beginning(other))));
        }
    })
}

/// The keys of an object; null is none.
struct Object<'a>(&'a Map<String, Json>);

impl<'a> Object<'a> {
    fn of(json: &'a Json) -> Result<Self> {
        json.as_object()
            .map(Self)
            .ok_or_else(|| Error::invalid_input("expected an object for a change to a schema"))
    }

    fn get(&self, key: &str) -> Option<&'a Json> {
        self.0.get(key).filter(|value| !value.is_null())
    }

    fn optional_text(&self, key: &str) -> Result<Option<String>> {
        match self.get(key) {
            None => Ok(None),
            Some(Json::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(Error::invalid_input(format!("expected a string as {key:?}"))),
        }
    }

    fn text(&self, key: &str) -> Result<String> {
        self.optional_text(key)?.ok_or_else(|| Error::invalid_input(format!("expected a string as {key:?}")))
    }

    fn flag(&self, key: &str, usual: bool) -> Result<bool> {
        match self.get(key) {
            None => Ok(usual),
            Some(Json::Bool(value)) => Ok(*value),
            Some(_) => Err(Error::invalid_input(format!("expected true or false as {key:?}"))),
        }
    }

    fn field_type(&self) -> Result<Type> {
        let written = self.get("type").ok_or_else(|| Error::invalid_input("expected a type as \"type\""))?;
        type_from_json(written).map_err(Error::of_input)
    }
}
