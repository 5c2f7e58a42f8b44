//! Which data files lie in the folder of a table, and which of them may hold the same rows?
//!
//! In: a folder. Out: a row for each file that may hold rows or deletes, by its footer.
//! Spec: Data File Fields; Row Lineage; Bound serialization.
//!
//! Invariant: nothing is guessed: an overlap says that two files may hold the same rows, as those before and after a compaction do.
//! Memory holds a row for each file.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch, TimestampMillisecondArray};
use arrow_schema::{Field as ArrowField, Schema as ArrowSchema, SchemaRef};
use floeberg_core::finding::split;
use floeberg_core::schema::{Field, Schema, Type};
use floeberg_core::value::Value;
use floeberg_core::value::ordering::compare;
use floeberg_core::value::single_value::from_bytes;
use floeberg_core::{Cancel, Error, Result};
use floeberg_exec::threads::ordered;
use floeberg_files::Modes;
use floeberg_iceberg::manifest::ManifestContent;
use floeberg_iceberg::metadata::TableMetadata;
use floeberg_iceberg::plan::FileFormat;
use floeberg_io::location::{canonical, parent};
use floeberg_io::{FoundFile, StoreOptions};

use super::avro_files::{AvroFiles, FoundManifest};
use super::columns::schema_of_file;
use super::folder::{Folder, file_end};
use super::footers::{AT_A_TIME, DATA, content_of, footer, format_of, row_ids};
use super::read_whole::read_manifest;
use super::request::Reader;
use super::unproven::with_all_columns;
use crate::place::Place;

/// So many columns have their bounds shown.
const SHOWN: usize = 3;
/// So many overlaps are named.
const MOST_OVERLAPS: usize = 10;

/// A file that may be part of a table.
#[derive(Debug)]
struct Candidate {
    file: FoundFile,
    content: &'static str,
    format: Option<&'static str>,
    rows: Option<i64>,
    columns: Option<String>,
    row_ids: Option<(i64, i64)>,
    /// The bounds of each column at the top, by field id or by name.
    bounds: BTreeMap<String, (Value, Value)>,
    /// The same, of the first columns, as text.
    shown: Option<(String, String)>,
    error: Option<String>,
}

/// The files in the folder of a table that may hold rows or deletes.
///
/// Errors: `NotFound` and `InvalidInput` for a folder without a table; `Cancelled`; those of the store.
pub fn rebuild_candidates(
    location: &str,
    storage: &StoreOptions,
    cancel: &Cancel,
) -> Result<(SchemaRef, Vec<RecordBatch>)> {
    let reader = Reader::new(storage, cancel)?;
    let folder = Folder::list(reader.store.as_ref(), location)?;
    let is_puffin = |name: &str| file_end(name) == Some("puffin");
    let files: Vec<&String> =
        folder.others.iter().filter(|file| format_of(file).is_some() || is_puffin(file)).collect();
    let listed = contents_by_manifests(&reader, &folder)?;
    let mut found = Vec::new();
    for some in files.chunks(AT_A_TIME * AT_A_TIME) {
        let described = ordered(some, AT_A_TIME, cancel, |file| {
            let Some(found) = reader.store.listed_file(file)? else { return Ok(None) };
            if is_puffin(file) {
                let candidate = Candidate::new(found, "deletion vectors", Some("puffin"));
                return Ok(Some(candidate));
            }
            let format = format_of(file).map(FileFormat::name);
            Ok(Some(match split(described(&reader, &found, listed.get(&reader.place(file)).copied()))? {
                Ok(candidate) => Candidate { format, ..candidate },
                Err(error) => {
                    Candidate { error: Some(error.to_string()), ..Candidate::new(found, "unknown", format) }
                }
            }))
        })?;
        found.extend(described.into_iter().flatten());
    }
    let overlaps = overlaps(&found);
    let batch = batch(location, &found, &overlaps)?;
    Ok((batch.schema(), vec![batch]))
}

impl Candidate {
    fn new(file: FoundFile, content: &'static str, format: Option<&'static str>) -> Self {
        Self {
            file,
            content,
            format,
            rows: None,
            columns: None,
            row_ids: None,
            bounds: BTreeMap::new(),
            shown: None,
            error: None,
        }
    }
}

/// What the manifests that are left say of delete files. Those that cannot be read say nothing.
///
/// Errors: those of the store.
fn contents_by_manifests(reader: &Reader, folder: &Folder) -> Result<HashMap<Place, &'static str>> {
    let mut passed_over = Vec::new();
    let avro = AvroFiles::read(reader, &folder.avro_files, &mut passed_over)?;
    let is_of_deletes = |found: &&FoundManifest| found.manifest.content == ManifestContent::Deletes;
    let manifests: Vec<&FoundManifest> = avro.manifests.iter().filter(is_of_deletes).collect();
    let Some(version) = manifests.iter().map(|found| found.format_version).max() else {
        return Ok(HashMap::new());
    };
    let metadata = with_all_columns(&TableMetadata::empty(version)?, &avro, &manifests, &mut passed_over)?;
    let mut contents = HashMap::new();
    for found in manifests {
        reader.cancel.check()?;
        let Ok(manifest) = read_manifest(reader, &metadata, &found.manifest)? else { continue };
        contents.extend(manifest.files.into_iter().map(|file| {
            let content = file.content_name();
            (file.place, content)
        }));
    }
    Ok(contents)
}

/// `listed` is what a manifest says that the file has.
fn described(reader: &Reader, file: &FoundFile, listed: Option<&'static str>) -> Result<Candidate> {
    let opened = footer(&reader.store, &file.location, &reader.cancel)?;
    let fields = &opened.fields().fields;
    let no_columns = Schema::new(0, Vec::new())?;
    let content = listed.unwrap_or_else(|| content_of(opened.as_ref()));
    if content != DATA {
        let metrics = opened.metrics(&no_columns, &Modes::only([]))?;
        return Ok(Candidate {
            rows: Some(metrics.record_count),
            ..Candidate::new(file.clone(), content, None)
        });
    }
    let named: Vec<String> = fields
        .iter()
        .map(|field| match field.id {
            Some(id) => format!("{id}: {}", field.name),
            None => field.name.clone(),
        })
        .collect();
    let mut candidate = Candidate {
        columns: Some(named.join(", ")),
        row_ids: row_ids(opened.as_ref())?,
        ..Candidate::new(file.clone(), DATA, None)
    };
    let schema = if opened.fields().has_ids { schema_of_file(fields, 3).ok() } else { None };
    let Some(schema) = schema else {
        candidate.rows = Some(opened.metrics(&no_columns, &Modes::only([]))?.record_count);
        return Ok(candidate);
    };
    let top = schema.fields().iter().filter(|field| matches!(field.field_type, Type::Primitive(_)));
    let top: Vec<_> = top.collect();
    let metrics = opened.metrics(&schema, &Modes::only(top.iter().map(|field| field.id)))?;
    candidate.rows = Some(metrics.record_count);
    let value = |bounds: &Option<BTreeMap<i32, Vec<u8>>>, field: &Field| {
        let Type::Primitive(primitive) = &field.field_type else { return None };
        from_bytes(primitive, bounds.as_ref()?.get(&field.id)?).ok()
    };
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    for field in top {
        let (Some(least), Some(most)) =
            (value(&metrics.lower_bounds, field), value(&metrics.upper_bounds, field))
        else {
            continue;
        };
        if lower.len() < SHOWN {
            lower.push(format!("{}={least}", field.name));
            upper.push(format!("{}={most}", field.name));
        }
        candidate.bounds.insert(field.id.to_string(), (least, most));
    }
    candidate.shown = Some((lower.join(", "), upper.join(", ")));
    Ok(candidate)
}

/// For each file the numbers of others of data that may hold the same rows.
fn overlaps(found: &[Candidate]) -> Vec<Vec<i64>> {
    let mut overlaps = vec![Vec::new(); found.len()];
    for (one, candidate) in found.iter().enumerate() {
        for (other, beside) in found.iter().enumerate().skip(one + 1) {
            if overlaps[one].len() >= MOST_OVERLAPS {
                break;
            }
            if may_share_rows(candidate, beside) {
                overlaps[one].push(other as i64);
                if overlaps[other].len() < MOST_OVERLAPS {
                    overlaps[other].push(one as i64);
                }
            }
        }
    }
    overlaps
}

/// May two files hold the same rows? They do not where row ids, or the bounds of one column, are apart.
fn may_share_rows(one: &Candidate, other: &Candidate) -> bool {
    if one.content != DATA || other.content != DATA || one.rows == Some(0) || other.rows == Some(0) {
        return false;
    }
    if let (Some(first), Some(second)) = (one.row_ids, other.row_ids) {
        return first.0 <= second.1 && second.0 <= first.1;
    }
    let shared = one.bounds.iter().filter_map(|(id, bounds)| Some((bounds, other.bounds.get(id)?)));
    let (mut count, mut meets) = (0, true);
    for ((least, most), (other_least, other_most)) in shared {
        count += 1;
        let is_above = |low: &Value, high: &Value| compare(low, high) == Some(Ordering::Greater);
        meets &= !is_above(least, other_most) && !is_above(other_least, most);
    }
    count > 0 && meets
}

fn batch(location: &str, found: &[Candidate], overlaps: &[Vec<i64>]) -> Result<RecordBatch> {
    let texts = |get: &dyn Fn(&Candidate) -> Option<String>| -> ArrayRef {
        let mut builder = StringBuilder::new();
        for candidate in found {
            builder.append_option(get(candidate));
        }
        Arc::new(builder.finish())
    };
    let numbers = |get: &dyn Fn(&Candidate) -> Option<i64>| -> ArrayRef {
        let mut builder = Int64Builder::new();
        for candidate in found {
            builder.append_option(get(candidate));
        }
        Arc::new(builder.finish())
    };
    let mut lists = ListBuilder::new(Int64Builder::new());
    for of_file in overlaps {
        lists.append_value(of_file.iter().copied().map(Some));
    }
    let times = found.iter().map(|candidate| Some(candidate.file.modified_ms));
    let times = times.collect::<TimestampMillisecondArray>().with_timezone("UTC");
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("file_path", texts(&|candidate| Some(candidate.file.location.clone()))),
        ("file_size_in_bytes", numbers(&|candidate| i64::try_from(candidate.file.size).ok())),
        ("file_format", texts(&|candidate| candidate.format.map(str::to_owned))),
        ("content", texts(&|candidate| Some(candidate.content.to_owned()))),
        ("record_count", numbers(&|candidate| candidate.rows)),
        ("columns", texts(&|candidate| candidate.columns.clone())),
        ("partition", texts(&|candidate| Some(folder_of(location, &candidate.file.location)))),
        ("first_row_id", numbers(&|candidate| candidate.row_ids.map(|(first, _)| first))),
        ("last_row_id", numbers(&|candidate| candidate.row_ids.map(|(_, last)| last))),
        ("lower_bounds", texts(&|candidate| candidate.shown.as_ref().map(|(lower, _)| lower.clone()))),
        ("upper_bounds", texts(&|candidate| candidate.shown.as_ref().map(|(_, upper)| upper.clone()))),
        ("modified", Arc::new(times)),
        ("overlaps", Arc::new(lists.finish())),
        ("error", texts(&|candidate| candidate.error.clone())),
    ];
    let fields: Vec<ArrowField> =
        columns.iter().map(|(name, array)| ArrowField::new(*name, array.data_type().clone(), true)).collect();
    let schema = Arc::new(ArrowSchema::new(fields));
    RecordBatch::try_new(schema, columns.into_iter().map(|(_, array)| array).collect())
        .map_err(|error| Error::internal("candidates are rows of one schema").caused_by(error))
}

/// The folder of a file below that of the table: its partition, where folders are named so.
fn folder_of(location: &str, file: &str) -> String {
    let base = canonical(location).trim_end_matches('/');
    let folder = parent(canonical(file)).unwrap_or_default();
    folder.strip_prefix(base).unwrap_or(folder).trim_start_matches('/').to_owned()
}
