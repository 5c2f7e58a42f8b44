//! Which partition fields does a table have after changes?
//!
//! In: changes to the default spec, as a user writes them. Out: its fields after them.
//! Spec: Partition Evolution; Partitioning (void transforms of v1).
//!
//! Invariant: names and ids are those of Iceberg Java. v1 identifies fields by position, so a removed field stays, as a void one.
//! From v2 on, a field of an older spec comes back with its id.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use floeberg_core::schema::Schema;
use floeberg_core::transform::Transform;
use floeberg_core::{Context, Error, Result};
use serde_json::{Map, Value as Json};

use super::new_table::{
    WRITTEN, check_name, default_name, known_field, next_id, parse_partition, says_the_same,
};
use super::partition::NO_PARTITION_ID;
use super::{DeclaredPartition, PartitionField, TableMetadata};

/// A change of the partition fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpecChange {
    /// Partitions by one more field.
    Add(DeclaredPartition),
    /// Stops partitioning by a field, named by its name or as it was declared (`day(ts)`).
    Remove(String),
    /// Gives a field another name.
    Rename {
        /// Its name.
        name: String,
        /// The other one.
        new_name: String,
    },
}

/// Changes of the partition fields, in the order of their calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecChanges {
    /// The changes.
    pub changes: Vec<SpecChange>,
    /// Are the names of source columns case-sensitive?
    pub case_sensitive: bool,
}

impl SpecChanges {
    /// Reads changes: `{"changes": [...], "case-sensitive": true}`, each of `{"change": "add-field", ...}` with the keys of a
    /// declared partition field, `{"change": "remove-field", "name"}` or `{"change": "rename-field", "name", "new-name"}`.
    ///
    /// Errors: `InvalidInput`.
    pub fn from_json(json: &Json) -> Result<Self> {
        let changes = json.get("changes").and_then(Json::as_array);
        let changes = changes.ok_or_else(|| Error::invalid_input("expected a list of changes"))?;
        let case_sensitive = match json.get("case-sensitive") {
            None => true,
            Some(Json::Bool(value)) => *value,
            Some(_) => return Err(Error::invalid_input("expected a boolean as \"case-sensitive\"")),
        };
        let changes = changes.iter().map(|each| parse_change(each).context("change", each));
        Ok(Self { changes: changes.collect::<Result<_>>()?, case_sensitive })
    }
}

fn parse_change(json: &Json) -> Result<SpecChange> {
    let text = |key: &str| match json.get(key) {
        Some(Json::String(text)) => Ok(text.clone()),
        _ => Err(Error::invalid_input(format!("expected a string as {key:?}"))),
    };
    match text("change")?.as_str() {
        "add-field" => parse_partition(json).map(SpecChange::Add),
        "remove-field" => text("name").map(SpecChange::Remove),
        "rename-field" => Ok(SpecChange::Rename { name: text("name")?, new_name: text("new-name")? }),
        other => Err(Error::invalid_input(format!("the change {other:?} does not exist"))),
    }
}

impl TableMetadata {
    /// The fields of the default spec after changes.
    ///
    /// Fields of transforms that this version does not know can be removed and renamed too: no value of them is needed.
    ///
    /// Errors: `InvalidInput` for a change that cannot be made, naming it; `Unsupported` where the transform of a new field is not
    /// known to this version.
    pub fn evolve_spec(&self, changes: &SpecChanges) -> Result<Vec<PartitionField>> {
        let fields = &self.default_spec().fields;
        let mut evolving = Evolving {
            metadata: self,
            schema: self.current_schema(),
            case_sensitive: changes.case_sensitive,
            fields,
            removed: BTreeSet::new(),
            renamed: BTreeMap::new(),
            added: Vec::new(),
            last_id: self.last_partition_id.max(NO_PARTITION_ID),
        };
        for change in &changes.changes {
            match change {
                SpecChange::Add(declared) => evolving.add(declared)?,
                SpecChange::Remove(name) => evolving.remove(name)?,
                SpecChange::Rename { name, new_name } => evolving.rename(name, new_name)?,
            }
        }
        evolving.finish()
    }
}

/// A spec that is being changed.
struct Evolving<'a> {
    metadata: &'a TableMetadata,
    schema: &'a Schema,
    case_sensitive: bool,
    /// The fields of the default spec.
    fields: &'a [PartitionField],
    /// Positions of removed fields.
    removed: BTreeSet<usize>,
    /// New names by position.
    renamed: BTreeMap<usize, String>,
    added: Vec<PartitionField>,
    last_id: i32,
}

impl Evolving<'_> {
    fn add(&mut self, declared: &DeclaredPartition) -> Result<()> {
        let transform = &declared.source.transform;
        let source_ids = self.sources(declared)?;
        let is_same =
            |field: &PartitionField| field.source_ids == source_ids && field.transform == *transform;
        if let Some(position) = self.fields.iter().position(is_same) {
            return self.add_again(position, declared.name.as_deref());
        }
        if let Some(other) = self.added.iter().find(|other| says_the_same(other, &source_ids, transform)) {
            let names: Vec<_> = source_ids.iter().filter_map(|id| self.schema.full_name(*id)).collect();
            return Err(Error::invalid_input(format!(
                "the partition field {transform} of column {:?} is redundant: {:?} is added for the same column",
                names.join(", "),
                other.name
            )));
        }
        let known = self.known_field(&source_ids, transform, declared.name.as_deref());
        let (field_id, name) = if let Some(known) = known {
            (known.field_id, known.name.clone())
        } else {
            let name = declared.name.clone();
            let name = name.unwrap_or_else(|| default_name(self.schema, &source_ids, transform));
            (next_id(&mut self.last_id).context("partition field", &name)?, name)
        };
        check_name(self.schema, &name, &source_ids, transform)?;
        self.free_name(&name)?;
        self.added.push(PartitionField {
            field_id,
            source_ids,
            name,
            transform: transform.clone(),
            unknown_keys: Map::new(),
        });
        Ok(())
    }

    fn sources(&self, declared: &DeclaredPartition) -> Result<Vec<i32>> {
        declared.source.ids(self.schema, self.metadata.format_version, self.case_sensitive, WRITTEN)
    }

    /// Adds a field that the spec has: right only where these changes have removed it.
    fn add_again(&mut self, position: usize, name: Option<&str>) -> Result<()> {
        let known = &self.fields[position];
        if !self.removed.remove(&position) {
            return Err(Error::invalid_input(format!(
                "the table is partitioned in this way already, by the partition field {:?}",
                known.name
            )));
        }
        match name.filter(|name| *name != known.name) {
            Some(name) => self.rename(&known.name.clone(), name),
            None => Ok(()),
        }
    }

    /// A field that any spec of the table has; of one with another name only the id would fit, and it is left alone, as in
    /// Iceberg Java. v1 numbered fields anew in each spec, so ids of two meanings are left alone too.
    fn known_field(
        &self,
        source_ids: &[i32],
        transform: &Transform,
        name: Option<&str>,
    ) -> Option<&PartitionField> {
        if self.metadata.format_version < 2 {
            return None;
        }
        let is_free = |id| self.added.iter().chain(self.fields).all(|other| other.field_id != id);
        known_field(&self.metadata.partition_specs, source_ids, transform, |field| {
            name.is_none_or(|name| field.name == name) && is_free(field.field_id)
        })
    }

    /// Makes room for a name: a void field or a removed field that has it gets its id appended.
    fn free_name(&mut self, name: &str) -> Result<()> {
        if self.added.iter().any(|field| field.name == name) {
            return Err(Error::invalid_input(format!("two partition fields are named {name:?}")));
        }
        let Some(position) = self.fields.iter().position(|field| field.name == name) else { return Ok(()) };
        let field = &self.fields[position];
        if field.transform != Transform::Void && !self.removed.contains(&position) {
            return Err(Error::invalid_input(format!(
                "a partition field is named {name:?} already: remove it, or give another name"
            )));
        }
        self.renamed.entry(position).or_insert_with(|| format!("{name}_{}", field.field_id));
        Ok(())
    }

    fn remove(&mut self, name: &str) -> Result<()> {
        let position = self.find(name, "remove")?;
        if let Some(new_name) = self.renamed.get(&position) {
            return Err(Error::invalid_input(format!(
                "the partition field {name:?} cannot be removed: the same changes rename it to {new_name:?}"
            )));
        }
        self.removed.insert(position);
        Ok(())
    }

    fn rename(&mut self, name: &str, new_name: &str) -> Result<()> {
        let position = self.find(name, "rename")?;
        if self.removed.contains(&position) {
            return Err(Error::invalid_input(format!(
                "the partition field {name:?} cannot be renamed: the same changes remove it"
            )));
        }
        let field = &self.fields[position];
        check_name(self.schema, new_name, &field.source_ids, &field.transform)?;
        // A field that has this name may be renamed by a later change: names are compared at the end.
        let void = |field: &PartitionField| field.transform == Transform::Void && field.name == new_name;
        if self.fields.iter().any(void) && field.name != new_name {
            self.free_name(new_name)?;
        }
        self.renamed.insert(position, new_name.to_owned());
        Ok(())
    }

    /// The position of a field, by name or as it was declared.
    fn find(&self, name: &str, change: &str) -> Result<usize> {
        if self.added.iter().any(|field| field.name == name) {
            return Err(Error::invalid_input(format!(
                "cannot {change} the partition field {name:?}: the same changes add it"
            )));
        }
        let declared = || {
            let declared = parse_partition(&Json::from(name)).ok().filter(|_| name.contains('('))?;
            let source_ids = self.sources(&declared).ok()?;
            let is_same = |field: &PartitionField| {
                field.source_ids == source_ids && field.transform == declared.source.transform
            };
            self.fields.iter().position(is_same)
        };
        let found = self.fields.iter().position(|field| field.name == name).or_else(declared);
        found.ok_or_else(|| {
            let known: Vec<String> = self.fields.iter().map(|field| format!("{:?}", field.name)).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            Error::invalid_input(format!(
                "cannot {change} the partition field {name:?}: the default spec does not have it; its fields: {known}"
            ))
        })
    }

    fn finish(self) -> Result<Vec<PartitionField>> {
        let mut fields = Vec::with_capacity(self.fields.len() + self.added.len());
        for (position, field) in self.fields.iter().enumerate() {
            let is_removed = self.removed.contains(&position);
            if is_removed && self.metadata.format_version >= 2 {
                continue;
            }
            let mut field = field.clone();
            if is_removed {
                field.transform = Transform::Void;
            }
            if let Some(name) = self.renamed.get(&position) {
                field.name.clone_from(name);
            }
            fields.push(field);
        }
        fields.extend(self.added);
        let mut names = HashSet::new();
        match fields.iter().find(|field| !names.insert(field.name.as_str())) {
            Some(twice) => {
                Err(Error::invalid_input(format!("two partition fields are named {:?}", twice.name)))
            }
            None => Ok(fields),
        }
    }
}
