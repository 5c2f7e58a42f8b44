//! Which columns and partition specs has a table, by its manifests and data files?
//!
//! In: headers of manifests, or the columns of data files. Out: metadata without snapshots.
//! Spec: Manifests (file metadata); Table Metadata Fields; Column Projection.
//!
//! Invariant: what metadata says stays; headers add schemas and specs with other ids. Ids that any schema has are not given again.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_schema::Field as ArrowField;
use floeberg_core::schema::from_arrow::schema_from_arrow;
use floeberg_core::schema::reserved::LAST_TABLE_FIELD_ID;
use floeberg_core::schema::{Field, ListType, MapType, Schema, StructType, Type, promotes_to};
use floeberg_core::{Context as _, Error, Result};
use floeberg_files::FileField;
use floeberg_iceberg::metadata::json::{parse_schema, parse_spec};
use floeberg_iceberg::metadata::{PartitionSpec, SortOrder, TableMetadata};
use floeberg_iceberg::wire::json::JsonPath;
use serde_json::{Map, json};

use super::avro_files::HeaderColumns;

/// The first schema of a table whose schemas have no ids.
const FIRST_SCHEMA: i32 = 0;

/// Adds schemas and specs that only headers have, and makes those of the last header current.
///
/// Errors: `InvalidData` for a header without a schema, and for one that is damaged.
pub(super) fn with_headers(
    mut metadata: TableMetadata,
    headers: &[&HeaderColumns],
    makes_current: bool,
) -> Result<TableMetadata> {
    let mut newest = None;
    for header in headers {
        let (schema, spec) = (schema_of(header)?, spec_of(header)?);
        let ids = (schema.schema_id(), spec.spec_id);
        if metadata.schema(ids.0).is_none() {
            metadata.last_column_id = metadata.last_column_id.max(schema.highest_field_id());
            metadata.schemas.push(schema);
        }
        if metadata.spec(ids.1).is_err() {
            let highest = spec.fields.iter().map(|field| field.field_id).max();
            metadata.last_partition_id = metadata.last_partition_id.max(highest.unwrap_or(0));
            metadata.partition_specs.push(spec);
        }
        newest = Some(ids);
    }
    if let Some((schema_id, spec_id)) = newest.filter(|_| makes_current) {
        metadata.choose_schema(schema_id)?;
        metadata.choose_spec(spec_id)?;
    }
    with_order(metadata)
}

/// Metadata of a schema, unpartitioned.
pub(super) fn of_schema(format_version: u8, schema: Schema) -> Result<TableMetadata> {
    let mut metadata = TableMetadata::empty(format_version)?;
    metadata.last_column_id = schema.highest_field_id();
    let id = schema.schema_id();
    metadata.schemas.push(Arc::new(schema));
    metadata.choose_schema(id)?;
    metadata.partition_specs.push(Arc::new(PartitionSpec {
        spec_id: 0,
        fields: Vec::new(),
        unknown_keys: Map::new(),
    }));
    metadata.choose_spec(0)?;
    with_order(metadata)
}

/// A table without sort orders is unsorted.
fn with_order(mut metadata: TableMetadata) -> Result<TableMetadata> {
    if metadata.sort_orders.is_empty() {
        metadata.sort_orders.push(Arc::new(SortOrder {
            order_id: 0,
            fields: Vec::new(),
            unknown_keys: Map::new(),
        }));
        metadata.choose_sort_order(0)?;
    }
    Ok(metadata)
}

fn schema_of(header: &HeaderColumns) -> Result<Arc<Schema>> {
    let path = JsonPath::root("manifest header: schema");
    let json =
        header.schema.clone().ok_or_else(|| Error::invalid_data("manifest header: expected a schema"))?;
    let mut schema = json;
    if let Some(object) = schema.as_object_mut() {
        object.entry("schema-id").or_insert_with(|| json!(FIRST_SCHEMA));
    }
    parse_schema(schema, &path)
}

fn spec_of(header: &HeaderColumns) -> Result<Arc<PartitionSpec>> {
    let fields = header.spec.clone();
    let fields = fields.ok_or_else(|| Error::invalid_data("manifest header: expected a partition spec"))?;
    let spec = json!({"spec-id": header.spec_id, "fields": fields});
    parse_spec(spec, &JsonPath::root("manifest header: partition-spec"))
}

/// The columns of a data file by its own field ids, all optional.
///
/// Errors: `InvalidInput` for a column without an id, and for a type that no column has.
pub(super) fn schema_of_file(fields: &[FileField], format_version: u8) -> Result<Schema> {
    let of_table = fields.iter().filter(|field| field.id.is_none_or(|id| id <= LAST_TABLE_FIELD_ID));
    let fields: Vec<&FileField> = of_table.collect();
    let arrow: Vec<ArrowField> =
        fields.iter().map(|field| ArrowField::new(&field.name, field.data_type.clone(), true)).collect();
    let typed = schema_from_arrow(&arrow_schema::Schema::new(arrow), format_version)?;
    let named = typed.fields().iter().zip(&fields).map(|(field, file)| with_ids(field, file));
    Schema::new(FIRST_SCHEMA, named.collect::<Result<_>>()?).map_err(Error::of_input)
}

/// A field with the ids of a file.
fn with_ids(field: &Field, file: &FileField) -> Result<Field> {
    let missing = || {
        Error::invalid_input(
            "the file has a column without a field id: give schema=, by whose names the columns are found",
        )
    };
    let id = file.id.ok_or_else(missing).context("column", &file.name)?;
    let child = |number: usize| file.children.get(number).ok_or_else(missing).context("column", &file.name);
    let field_type = match &field.field_type {
        same @ (Type::Primitive(_) | Type::Variant | Type::Unrecognized(_)) => same.clone(),
        Type::Struct(fields) => {
            let fields = fields.fields.iter().enumerate();
            let fields = fields.map(|(number, field)| with_ids(field, child(number)?));
            Type::Struct(StructType { fields: fields.collect::<Result<_>>()? })
        }
        Type::List(list) => Type::List(Box::new(ListType { element: with_ids(&list.element, child(0)?)? })),
        Type::Map(map) => Type::Map(Box::new(MapType {
            key: with_ids(&map.key, child(0)?)?,
            value: with_ids(&map.value, child(1)?)?,
        })),
    };
    let required = matches!(field.name.as_str(), "key") && field.required;
    Ok(Field { id, required, field_type, ..field.clone() })
}

/// Adds the columns of another file to a schema: those that it does not have yet, and wider types.
///
/// Errors: `InvalidInput` for a column that has two types.
pub(super) fn with_columns(schema: &Schema, other: &Schema) -> Result<Schema> {
    let mut fields = schema.fields().to_vec();
    for field in other.fields() {
        let Some(known) = fields.iter_mut().find(|known| known.id == field.id) else {
            fields.push(field.clone());
            continue;
        };
        match (&known.field_type, &field.field_type) {
            (one, two) if one == two => {}
            (Type::Primitive(one), Type::Primitive(two)) if promotes_to(one, two) => {
                known.field_type = field.field_type.clone();
            }
            (Type::Primitive(one), Type::Primitive(two)) if promotes_to(two, one) => {}
            (one, two) => {
                let message = format!(
                    "the column with field id {} is of type {one} in one file, and of type {two} in another: give schema=",
                    field.id
                );
                return Err(Error::invalid_input(message));
            }
        }
    }
    // Two columns had one name at different times: the older one keeps its name with its id.
    let mut seen = HashSet::new();
    for field in &mut fields {
        if !seen.insert(field.name.clone()) {
            field.name = format!("{}_{}", field.name, field.id);
            seen.insert(field.name.clone());
        }
    }
    Schema::new(schema.schema_id(), fields).map_err(Error::of_input)
}

#[cfg(test)]
mod tests {
    use arrow_schema::{DataType, Field as ArrowField};
    use floeberg_core::schema::PrimitiveType;

    use super::*;

    fn file(id: Option<i32>, name: &str, data_type: DataType) -> FileField {
        FileField { id, name: name.to_owned(), data_type, leaves: 0..1, children: Vec::new() }
    }

    fn header(schema_id: i32, spec_id: i32, column: i32) -> HeaderColumns {
        let field = json!({"id": column, "name": "a", "required": false, "type": "long"});
        let schema = json!({"type": "struct", "schema-id": schema_id, "fields": [field]});
        HeaderColumns { schema: Some(schema), spec_id, spec: Some(json!([])) }
    }

    #[test]
    fn headers_add_what_metadata_lacks_and_the_last_one_is_current() -> Result<()> {
        let (first, second) = (header(0, 0, 1), header(3, 2, 7));
        let metadata = with_headers(TableMetadata::empty(2)?, &[&first, &second], true)?;
        assert_eq!(
            (metadata.current_schema_id, metadata.default_spec_id, metadata.last_column_id),
            (3, 2, 7)
        );
        assert_eq!(
            (metadata.schemas.len(), metadata.partition_specs.len(), metadata.sort_orders.len()),
            (2, 2, 1)
        );
        // What is known stays.
        let again = with_headers(metadata.clone(), &[&header(3, 2, 99)], false)?;
        assert_eq!(again, metadata);
        let without = HeaderColumns { schema: None, ..first };
        assert!(with_headers(metadata, &[&without], false).is_err());
        Ok(())
    }

    #[test]
    fn columns_of_files_have_their_own_ids() -> Result<()> {
        let fields = [
            file(Some(4), "a", DataType::Int32),
            file(Some(2), "b", DataType::Utf8),
            file(Some(2_147_483_540), "_row_id", DataType::Int64),
        ];
        let schema = schema_of_file(&fields, 2)?;
        let ids: Vec<(i32, &str)> =
            schema.fields().iter().map(|field| (field.id, field.name.as_str())).collect();
        assert_eq!(ids, [(4, "a"), (2, "b")]);
        let wider =
            schema_of_file(&[file(Some(4), "a", DataType::Int64), file(Some(9), "b", DataType::Date32)], 2)?;
        let both = with_columns(&schema, &wider)?;
        assert_eq!(both.field(4).map(|field| field.field_type.clone()), Some(PrimitiveType::Long.into()));
        assert_eq!(both.field(9).map(|field| field.name.as_str()), Some("b_9"));
        let other = schema_of_file(&[file(Some(2), "b", DataType::Date32)], 2)?;
        assert!(with_columns(&schema, &other).is_err_and(|error| error.message().contains("field id 2")));
        let nameless = schema_of_file(&[file(None, "a", DataType::Int32)], 2);
        assert!(nameless.is_err_and(|error| error.message().contains("without a field id")));
        // Parts of a list need ids as well.
        let list = DataType::List(Arc::new(ArrowField::new("element", DataType::Int32, true)));
        assert!(schema_of_file(&[file(Some(1), "l", list)], 2).is_err());
        Ok(())
    }
}
