//! What do all tasks of a scan share, as JSON?

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, OnceLock};

use arrow_cast::base64::{BASE64_STANDARD, Engine as _};
use floeberg_core::expr::{BoundExpr, Expr, Residuals, bind, json as expr_json};
use floeberg_core::schema::json::{schema_from_json, schema_to_json};
use floeberg_core::schema::{NameMapping, Schema, StructType};
use floeberg_core::{Cancel, Result};
use floeberg_exec::budget::memory_budget;
use floeberg_io::{StoreOptions, open_store, sealed_keys, with_sealed_keys};
use serde_json::{Map, Value as Json, json};

use super::fields::{array, field, int, ints, optional_long, optional_string, string, wrong};
use crate::Scan;
use crate::manifest::{BoundSpec, UntrustedColumns};
use crate::metadata::{PartitionField, PartitionSpec, TableMetadata};
use crate::plan::{DeleteFile, DeleteKind};
use crate::read::{ReadRequest, key_field};
use crate::wire::Packing;

/// What all tasks of a scan share.
#[derive(Debug, Clone)]
pub struct ReadRecipe {
    /// The schema that the filter is bound to.
    schema: Arc<Schema>,
    /// The columns of the result.
    projected: Arc<Schema>,
    /// Where the key columns of equality deletes are looked up, the newest schema first.
    key_schemas: Vec<Arc<Schema>>,
    filter: Expr,
    case_sensitive: bool,
    specs: Vec<(Arc<PartitionSpec>, StructType)>,
    partition_fields: BTreeMap<i32, Vec<i32>>,
    name_mapping: Option<String>,
    untrusted: UntrustedColumns,
    storage: StoreOptions,
    batch_rows: Option<usize>,
    /// Its text for tasks without equality deletes, once it was needed.
    without_keys: Unprinted,
}

/// A text that holds the storage options, secrets among them.
#[derive(Clone, Default)]
struct Unprinted(OnceLock<String>);

impl fmt::Debug for Unprinted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("..")
    }
}

impl ReadRecipe {
    /// The recipe of a scan.
    pub fn of(scan: &Scan) -> Result<Self> {
        let metadata = scan.table().metadata();
        let specs = metadata.partition_specs.iter();
        Ok(Self {
            schema: scan.filter_schema()?,
            projected: scan.projection()?,
            key_schemas: metadata.schemas_newest_first().cloned().collect(),
            filter: scan.row_filter().clone(),
            case_sensitive: scan.is_case_sensitive(),
            specs: specs
                .map(|spec| Ok((Arc::clone(spec), spec.partition_type(metadata)?)))
                .collect::<Result<_>>()?,
            partition_fields: scan.partition_fields()?,
            name_mapping: metadata.properties.get(floeberg_properties::NAME_MAPPING).cloned(),
            untrusted: UntrustedColumns::of(metadata),
            storage: scan.table().options().storage.clone(),
            batch_rows: scan.batch_row_limit(),
            without_keys: Unprinted::default(),
        })
    }

    /// The recipe of all rows of a table's data files: of these columns, in the types that the table has now.
    ///
    /// Errors: `InvalidData` for a partition spec that does not fit the columns.
    pub fn of_columns(metadata: &TableMetadata, columns: Schema, storage: &StoreOptions) -> Result<Self> {
        let specs = metadata.partition_specs.iter();
        Ok(Self {
            schema: Arc::clone(metadata.current_schema()),
            projected: Arc::new(columns),
            key_schemas: metadata.schemas_newest_first().cloned().collect(),
            filter: Expr::True,
            case_sensitive: true,
            specs: specs
                .map(|spec| Ok((Arc::clone(spec), spec.partition_type(metadata)?)))
                .collect::<Result<_>>()?,
            partition_fields: BTreeMap::new(),
            name_mapping: metadata.properties.get(floeberg_properties::NAME_MAPPING).cloned(),
            untrusted: UntrustedColumns::of(metadata),
            storage: storage.clone(),
            batch_rows: None,
            without_keys: Unprinted::default(),
        })
    }

    /// The same for other columns.
    pub(super) fn with_columns(&self, columns: Schema) -> Self {
        Self { projected: Arc::new(columns), without_keys: Unprinted::default(), ..self.clone() }
    }

    /// The same without storage options.
    pub(super) fn without_storage(&self) -> Self {
        Self { storage: StoreOptions::new(), without_keys: Unprinted::default(), ..self.clone() }
    }

    /// The same with the storage options of another one.
    pub(super) fn with_storage_of(&self, other: &Self) -> Self {
        Self { storage: other.storage.clone(), without_keys: Unprinted::default(), ..self.clone() }
    }

    /// Is the table encrypted, and are its keys known?
    pub(super) fn has_keys(&self) -> bool {
        self.storage.keys().is_some()
    }

    /// The keys of some files, sealed, as text.
    pub(super) fn sealed_keys<'a>(&self, locations: impl Iterator<Item = &'a str>) -> Result<Option<String>> {
        Ok(sealed_keys(&self.storage, locations)?.map(|keys| BASE64_STANDARD.encode(keys)))
    }

    /// The same with keys that were sent with tasks.
    pub(super) fn with_sealed_keys(self, keys: Option<&Json>) -> Result<Self> {
        let Some(text) = keys.and_then(Json::as_str) else { return Ok(self) };
        let sealed = BASE64_STANDARD.decode(text).map_err(|_| wrong("keys", "not base64"))?;
        let storage = with_sealed_keys(self.storage.clone(), Some(&sealed))?;
        Ok(Self { storage, ..self })
    }

    /// The columns of the result.
    pub fn projected(&self) -> &Arc<Schema> {
        &self.projected
    }

    /// Opens the store and prepares reading.
    pub fn request(&self, cancel: &Cancel) -> Result<ReadRequest> {
        let mapping = self.name_mapping.as_deref().map(NameMapping::from_json).transpose()?;
        let store = open_store(&self.storage)?;
        let request = ReadRequest::new(store, Arc::clone(&self.schema), Arc::clone(&self.projected))
            .with_specs(self.specs.iter().map(|(spec, _)| Arc::clone(spec)))
            .with_partition_fields(self.partition_fields.clone())
            .with_key_schemas(self.key_schemas.iter().cloned())
            .with_name_mapping(mapping.map(Arc::new))
            .with_memory(memory_budget()?)
            .with_cancel(cancel.clone());
        Ok(match self.batch_rows {
            Some(rows) => request.with_batch_rows(rows),
            None => request,
        })
    }

    /// A spec by its id. Errors: `InvalidInput` for one that no task has.
    pub fn spec(&self, spec_id: i32) -> Result<&Arc<PartitionSpec>> {
        let found = self.specs.iter().find(|(spec, _)| spec.spec_id == spec_id);
        found.map(|(spec, _)| spec).ok_or_else(|| wrong("specs", spec_id))
    }

    /// The type of a spec's partition values.
    pub(super) fn partition_type(&self, spec_id: i32) -> Result<&StructType> {
        let found = self.specs.iter().find(|(spec, _)| spec.spec_id == spec_id);
        found.map(|(_, partition_type)| partition_type).ok_or_else(|| wrong("specs", spec_id))
    }

    /// A filter of rows, bound.
    pub(super) fn bound(&self, filter: &Expr) -> Result<BoundExpr> {
        bind(filter, &self.schema, self.case_sensitive)
    }

    /// The residuals of the filter in the partitions of each spec.
    pub(super) fn residuals(&self) -> Result<BTreeMap<i32, Residuals>> {
        let filter = self.bound(&self.filter)?;
        let of_spec = |(spec, partition_type): &(Arc<PartitionSpec>, StructType)| {
            let planned = BoundSpec::new(spec, partition_type.clone(), &self.schema, &self.untrusted);
            (spec.spec_id, Residuals::new(&filter, &planned.columns))
        };
        Ok(self.specs.iter().map(of_spec).collect())
    }

    /// Writes it, with only those parts of the table's schemas that the deletes need.
    pub(super) fn write<'a>(
        &self,
        deletes: impl Iterator<Item = &'a DeleteFile>,
        packing: &mut Packing,
    ) -> Result<()> {
        let keys = self.keys(deletes);
        if !keys.is_empty() {
            return packing.value(&self.to_json(&keys)?);
        }
        // All groups of a plan share it.
        let text = if let Some(text) = self.without_keys.0.get() {
            text
        } else {
            let text = self.to_json(&[])?.to_string();
            self.without_keys.0.get_or_init(|| text)
        };
        packing.text(text.as_bytes())
    }

    fn to_json(&self, keys: &[Schema]) -> Result<Json> {
        let specs = self.specs.iter().map(|(spec, partition_type)| {
            let values = Schema::new(0, partition_type.fields.clone())?;
            Ok(json!({"spec": spec_to_json(spec), "values": schema_to_json(&values)?}))
        });
        let mut recipe = json!({
            "schema": schema_to_json(&self.schema)?,
            "projected": schema_to_json(&self.projected)?,
            "keys": keys.iter().map(schema_to_json).collect::<Result<Vec<_>>>()?,
            "filter": expr_json::to_json(&self.filter)?,
            "case-sensitive": self.case_sensitive,
            "specs": specs.collect::<Result<Vec<_>>>()?,
            "partition-fields": self.partition_fields.iter().collect::<Vec<_>>(),
            "name-mapping": self.name_mapping,
            "storage": self.storage.iter().collect::<BTreeMap<_, _>>(),
            "batch-rows": self.batch_rows,
        });
        let untrusted = self.untrusted.ids();
        if !untrusted.is_empty() {
            recipe["untrusted"] = json!(untrusted);
        }
        Ok(recipe)
    }

    /// For each key column of the deletes, a schema with only this column. A column that no schema has is left out, and is an error
    /// when it is read.
    fn keys<'a>(&self, deletes: impl Iterator<Item = &'a DeleteFile>) -> Vec<Schema> {
        let ids: BTreeSet<i32> = deletes
            .filter_map(|delete| match &delete.kind {
                DeleteKind::Equality { equality_ids } => Some(equality_ids),
                DeleteKind::Position | DeleteKind::Vector { .. } => None,
            })
            .flatten()
            .copied()
            .collect();
        let fields = ids.iter().filter_map(|id| key_field(&self.key_schemas, *id));
        fields.filter_map(|field| Schema::new(0, vec![field]).ok()).collect()
    }

    pub(super) fn from_json(json: &Json) -> Result<Self> {
        let specs = array(json, "specs")?.iter().map(|pair| {
            let spec = spec_from_json(field(pair, "spec")?)?;
            let values = schema_from_json(field(pair, "values")?)?;
            Ok((Arc::new(spec), values.as_struct().clone()))
        });
        let keys = array(json, "keys")?.iter().map(|schema| schema_from_json(schema).map(Arc::new));
        let batch_rows = optional_long(json, "batch-rows")?.map(usize::try_from).transpose();
        Ok(Self {
            schema: Arc::new(schema_from_json(field(json, "schema")?)?),
            projected: Arc::new(schema_from_json(field(json, "projected")?)?),
            key_schemas: keys.collect::<Result<_>>()?,
            filter: expr_json::from_json(field(json, "filter")?)?,
            case_sensitive: field(json, "case-sensitive")?.as_bool().unwrap_or(true),
            specs: specs.collect::<Result<_>>()?,
            partition_fields: partition_fields(json)?,
            name_mapping: optional_string(json, "name-mapping")?,
            untrusted: untrusted(json)?,
            storage: storage(field(json, "storage")?)?,
            batch_rows: batch_rows.map_err(|_| wrong("batch-rows", &json["batch-rows"]))?,
            without_keys: Unprinted::default(),
        })
    }
}

/// Left out of the recipe of a table without a name mapping.
fn untrusted(json: &Json) -> Result<UntrustedColumns> {
    let ids = json.get("untrusted").map(|_| ints(json, "untrusted")).transpose()?;
    Ok(UntrustedColumns::new(ids.unwrap_or_default()))
}

/// Left out of a recipe without `_partition`.
fn partition_fields(json: &Json) -> Result<BTreeMap<i32, Vec<i32>>> {
    match json.get("partition-fields") {
        None => Ok(BTreeMap::new()),
        Some(pairs) => serde_json::from_value::<Vec<(i32, Vec<i32>)>>(pairs.clone())
            .map(|pairs| pairs.into_iter().collect())
            .map_err(|_| wrong("partition-fields", pairs)),
    }
}

fn storage(json: &Json) -> Result<StoreOptions> {
    let options = json.as_object().ok_or_else(|| wrong("storage", "not an object"))?;
    let mut storage = StoreOptions::new();
    for (key, value) in options {
        storage.insert(key, value.as_str().ok_or_else(|| wrong("storage", key))?);
    }
    Ok(storage)
}

/// The part of a spec that reading needs: which partition field has which column's own value.
fn spec_to_json(spec: &PartitionSpec) -> Json {
    let fields = spec.fields.iter().map(|field| {
        json!({
            "id": field.field_id,
            "sources": field.source_ids,
            "name": field.name,
            "transform": field.transform.to_string(),
        })
    });
    json!({"id": spec.spec_id, "fields": fields.collect::<Vec<_>>()})
}

fn spec_from_json(json: &Json) -> Result<PartitionSpec> {
    let fields = array(json, "fields")?.iter().map(|json| {
        Ok(PartitionField {
            field_id: int(json, "id")?,
            source_ids: ints(json, "sources")?,
            name: string(json, "name")?,
            transform: string(json, "transform")?.parse()?,
            unknown_keys: Map::new(),
        })
    });
    Ok(PartitionSpec {
        spec_id: int(json, "id")?,
        fields: fields.collect::<Result<_>>()?,
        unknown_keys: Map::new(),
    })
}
