//! Which name mapping does a table have?
//!
//! Spec: Column Projection; Appendix C, Name Mapping Serialization.

use floeberg_core::schema::NameMapping;
use floeberg_core::{Context, Result};
use floeberg_properties::NAME_MAPPING;

use super::TableMetadata;

impl TableMetadata {
    /// The mapping; `None` if the table has none. Errors: `InvalidData`, naming the property.
    pub fn name_mapping(&self) -> Result<Option<NameMapping>> {
        let mapping = self.properties.get(NAME_MAPPING).map(|json| NameMapping::from_json(json));
        mapping.transpose().context("property", NAME_MAPPING)
    }
}
