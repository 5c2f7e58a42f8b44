//! Which columns of a manifest may have the statistics of another column?
//!
//! In: a table's metadata. Out: field ids.
//! Spec: Column Projection; Appendix C, Name Mapping Serialization.
//!
//! Invariant: a file without field ids is read by the current name mapping, but its counts, bounds and partition values were
//! computed by an older one. Iceberg Java and `PyIceberg` move a mapped name of a renamed or dropped column to a new column:
//! then neither column is trusted. Without a name mapping, all columns are trusted.

use std::collections::HashSet;

use floeberg_core::schema::{Field, MappedField, NameMapping, Type};

use crate::metadata::TableMetadata;

/// The columns whose counts and bounds must not be used.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct UntrustedColumns {
    /// Every column: the mapping cannot be read, and neither can a file without ids.
    all: bool,
    ids: HashSet<i32>,
}

impl UntrustedColumns {
    /// The untrusted columns of a table: a column for which the mapping lacks one of its former names, and the column that has this
    /// name instead. All columns if the mapping cannot be parsed; reading a file then is an error.
    pub fn of(metadata: &TableMetadata) -> Self {
        let mapping = match metadata.name_mapping() {
            Ok(None) => return Self::default(),
            Ok(Some(mapping)) => mapping,
            Err(_) => return Self { all: true, ids: HashSet::new() },
        };
        let mut untrusted = Self::default();
        for field in metadata.schemas.iter().flat_map(|schema| schema.fields()) {
            untrusted.compare(&field.name, field, Some(&mapping));
        }
        untrusted
    }

    /// The columns of these ids.
    pub fn new(ids: impl IntoIterator<Item = i32>) -> Self {
        Self { all: false, ids: ids.into_iter().collect() }
    }

    /// Their ids, ascending.
    pub fn ids(&self) -> Vec<i32> {
        let mut ids: Vec<i32> = self.ids.iter().copied().collect();
        ids.sort_unstable();
        ids
    }

    /// Is it one of them?
    #[inline]
    pub fn contains(&self, id: i32) -> bool {
        // An empty set needs no hash.
        self.all || (!self.ids.is_empty() && self.ids.contains(&id))
    }

    /// Compares a field of a schema with what its name is mapped to at its level.
    fn compare(&mut self, name: &str, field: &Field, level: Option<&NameMapping>) {
        let mapped = level.and_then(|level| level.get(name));
        let owner = mapped.and_then(MappedField::field_id);
        if owner != Some(field.id) {
            self.ids.insert(field.id);
            self.ids.extend(owner);
        }
        let below = mapped.map(MappedField::children);
        match &field.field_type {
            Type::Struct(inner) => {
                for field in &inner.fields {
                    self.compare(&field.name, field, below);
                }
            }
            Type::List(list) => self.compare("element", &list.element, below),
            Type::Map(map) => {
                self.compare("key", &map.key, below);
                self.compare("value", &map.value, below);
            }
            Type::Primitive(_) | Type::Variant | Type::Unrecognized(_) => {}
        }
    }
}
