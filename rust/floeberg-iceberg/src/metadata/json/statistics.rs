//! Which statistics files does the metadata have?
//!
//! In: elements of `statistics` and `partition-statistics`. Out: the model, and back.
//! Spec: Table Statistics; Partition Statistics.

use floeberg_core::{Error, Result};
use serde_json::Value as Json;

use super::emit::{ObjectWriter, emit_map};
use crate::metadata::{PartitionStatisticsFile, StatisticsBlob, StatisticsFile, TableMetadata};
use crate::wire::json::{JsonPath, ObjectReader, int, list, long, string, string_map};

impl TableMetadata {
    /// The statistics files. Errors: `InvalidData` that names the path in the document.
    pub fn statistics_files(&self) -> Result<Vec<StatisticsFile>> {
        let json_path = JsonPath::root("table metadata");
        list(parse_file)(Json::Array(self.statistics.clone()), &json_path.key("statistics"))
    }

    /// The partition statistics files. Errors: `InvalidData` that names the path in the document.
    pub fn partition_statistics_files(&self) -> Result<Vec<PartitionStatisticsFile>> {
        let json_path = JsonPath::root("table metadata");
        let files = Json::Array(self.partition_statistics.clone());
        list(parse_partition_file)(files, &json_path.key("partition-statistics"))
    }
}

impl StatisticsFile {
    /// Reads one file. Errors: `InvalidInput` that names the path in the document.
    pub fn from_json(json: Json) -> Result<Self> {
        parse_file(json, &JsonPath::root("statistics file")).map_err(Error::of_input)
    }

    /// As JSON.
    pub fn to_json(&self) -> Json {
        let mut object = ObjectWriter::default();
        object.put("snapshot-id", self.snapshot_id);
        object.put("statistics-path", self.statistics_path.as_str());
        object.put("file-size-in-bytes", self.file_size_in_bytes);
        object.put("file-footer-size-in-bytes", self.file_footer_size_in_bytes);
        object.put_some("key-metadata", self.key_metadata.clone());
        object.put("blob-metadata", self.blob_metadata.iter().map(emit_blob).collect::<Json>());
        object.finish(&self.unknown_keys)
    }
}

impl PartitionStatisticsFile {
    /// Reads one file. Errors: `InvalidInput` that names the path in the document.
    pub fn from_json(json: Json) -> Result<Self> {
        parse_partition_file(json, &JsonPath::root("partition statistics file")).map_err(Error::of_input)
    }

    /// As JSON.
    pub fn to_json(&self) -> Json {
        let mut object = ObjectWriter::default();
        object.put("snapshot-id", self.snapshot_id);
        object.put("statistics-path", self.statistics_path.as_str());
        object.put("file-size-in-bytes", self.file_size_in_bytes);
        object.finish(&self.unknown_keys)
    }
}

fn parse_file(json: Json, json_path: &JsonPath<'_>) -> Result<StatisticsFile> {
    let mut object = ObjectReader::new(json, json_path)?;
    Ok(StatisticsFile {
        snapshot_id: object.required("snapshot-id", long)?,
        statistics_path: object.required("statistics-path", string)?,
        file_size_in_bytes: object.required("file-size-in-bytes", long)?,
        file_footer_size_in_bytes: object.required("file-footer-size-in-bytes", long)?,
        key_metadata: object.optional("key-metadata", string)?,
        blob_metadata: object.required("blob-metadata", list(parse_blob))?,
        unknown_keys: object.unknown_keys(),
    })
}

fn parse_blob(json: Json, json_path: &JsonPath<'_>) -> Result<StatisticsBlob> {
    let mut object = ObjectReader::new(json, json_path)?;
    Ok(StatisticsBlob {
        blob_type: object.required("type", string)?,
        snapshot_id: object.required("snapshot-id", long)?,
        sequence_number: object.required("sequence-number", long)?,
        fields: object.required("fields", list(int))?,
        properties: object.optional("properties", string_map)?.unwrap_or_default(),
        unknown_keys: object.unknown_keys(),
    })
}

fn emit_blob(blob: &StatisticsBlob) -> Json {
    let mut object = ObjectWriter::default();
    object.put("type", blob.blob_type.as_str());
    object.put("snapshot-id", blob.snapshot_id);
    object.put("sequence-number", blob.sequence_number);
    object.put("fields", blob.fields.clone());
    object.put("properties", emit_map(&blob.properties));
    object.finish(&blob.unknown_keys)
}

fn parse_partition_file(json: Json, json_path: &JsonPath<'_>) -> Result<PartitionStatisticsFile> {
    let mut object = ObjectReader::new(json, json_path)?;
    Ok(PartitionStatisticsFile {
        snapshot_id: object.required("snapshot-id", long)?,
        statistics_path: object.required("statistics-path", string)?,
        file_size_in_bytes: object.required("file-size-in-bytes", long)?,
        unknown_keys: object.unknown_keys(),
    })
}
