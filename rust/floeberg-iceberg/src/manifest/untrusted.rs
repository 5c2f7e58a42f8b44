//! Of which columns may a manifest's statistics be those of another column?
//!
//! In: a table's metadata. Out: field ids.
//! Spec: Column Projection; Appendix C, Name Mapping Serialization.
//!
//! Invariant: a file without field ids is read by the name mapping as it is now, and its counts, bounds and partition
//! values were taken by the mapping as it was then. Iceberg Java and `PyIceberg` give a mapped name of a column that was
//! renamed or dropped to a new column: then neither of the two is trusted. Where there is no mapping all are trusted.

use std::collections::HashSet;

use floeberg_core::schema::{Field, MappedField, NameMapping, Type};

use crate::metadata::TableMetadata;

/// The columns whose counts and bounds are not to be used.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct UntrustedColumns {
    /// Every column: the mapping cannot be read, and neither can a file without ids.
    all: bool,
    ids: HashSet<i32>,
}

impl UntrustedColumns {
    /// Those of a table: a column that the mapping does not give every name that it ever had, and the column that has such
    /// a name instead. All columns where the mapping cannot be read, which is an error when a file is.
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
        // No hash is made where nothing is in it.
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
