//! How should a manifest describe a file?
//!
//! In: an entry, and which parts of it are wrong. Out: the entry's file with these parts as the file itself has them.
//! Spec: Data File Fields; Field-level Metrics and Statistics; Deletion Vectors.
//!
//! ```text
//! footer: rows, sizes, split offsets, counts, bounds     rows: counts and bounds that a footer lacks, or is not trusted with
//! ```
//!
//! Invariant: a part that nothing proves is left out, which readers take as unknown. Row ids of a file never reach into those of others.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use floeberg_core::schema::reserved::{DELETE_FILE_PATH, DELETE_FILE_POS};
use floeberg_core::schema::{NameMapping, PrimitiveType, Schema, Type};
use floeberg_core::value::single_value::to_bytes;
use floeberg_core::{Cancel, Error, Result};
use floeberg_files::{
    FileMetrics, FileReader, Mode, Modes, WriteProperties, shorter_lower, shorter_upper, signed_zero,
};
use floeberg_iceberg::Table;
use floeberg_iceberg::manifest::{DataFile, FileContent};
use floeberg_iceberg::plan::FileFormat;
use floeberg_iceberg::read::FileAccess;
use floeberg_iceberg::wire::puffin::BlobMetadata;
use floeberg_iceberg::wire::vector;
use floeberg_iceberg::write::with_metrics;
use floeberg_io::Source;
use floeberg_io::location::canonical;

use super::mending::Mending;
use super::values::{ColumnValues, column_values};
use crate::check::{footer_of, position_schema};

/// No vector is as large.
const LARGEST: u64 = 1 << 30;

/// Describes the files of a table.
pub(super) struct Describer<'a> {
    table: &'a Table,
    access: FileAccess,
    mapping: Option<NameMapping>,
    modes: Modes,
    cancel: Cancel,
}

impl<'a> Describer<'a> {
    /// Errors: `InvalidInput` for invalid properties of metrics.
    pub(super) fn new(table: &'a Table, cancel: &Cancel) -> Result<Self> {
        let metadata = table.metadata();
        let properties = WriteProperties::of_map(metadata.properties.clone());
        let sorted = metadata.default_sort_order().fields.iter().filter_map(|field| {
            let [id] = field.source_ids[..] else { return None };
            field.transform.is_order_preserving().then_some(id)
        });
        Ok(Self {
            table,
            access: FileAccess {
                store: Arc::clone(table.store()),
                batch_rows: 65_536,
                cancel: cancel.clone(),
            },
            mapping: metadata.name_mapping().unwrap_or_default(),
            modes: Modes::new(&properties, metadata.current_schema(), sorted)?,
            cancel: cancel.clone(),
        })
    }

    /// A file as its manifest should describe it.
    ///
    /// Errors: `InvalidData` where the file does not give a unique answer, or is damaged; `Unsupported`; those of the store.
    pub(super) fn describe(&self, file: &DataFile, mendings: &[Mending]) -> Result<DataFile> {
        let mut mended = file.clone();
        let mut by_rows = None;
        for mending in mendings {
            match mending {
                Mending::Metrics { by_rows: rows } => by_rows = Some(by_rows.unwrap_or(false) || *rows),
                Mending::NoSortOrder => mended.sort_order_id = None,
                Mending::NoReference if file.content == FileContent::Data => {
                    mended.referenced_data_file = None;
                }
                Mending::NoEqualityIds if file.content != FileContent::EqualityDeletes => {
                    mended.equality_ids = None;
                }
                Mending::VectorPlace if !file.is_vector() => {
                    (mended.content_offset, mended.content_size_in_bytes) = (None, None);
                }
                Mending::VectorPlace => mended = self.with_place(mended)?,
                _ => return Err(Error::invalid_data("nothing says what is right")),
            }
        }
        let mended = match by_rows {
            None => mended,
            Some(_) if file.is_vector() => self.counted(mended)?,
            Some(by_rows) => self.measured(mended, by_rows)?,
        };
        if file.first_row_id.is_some() && mended.record_count > file.record_count {
            return Err(Error::invalid_data(format!(
                "the file has {} rows and row ids for {}: further row ids could be those of other rows",
                mended.record_count, file.record_count
            )));
        }
        Ok(mended)
    }

    /// With what the footer and the rows of the file say.
    fn measured(&self, file: DataFile, by_rows: bool) -> Result<DataFile> {
        let metadata = self.table.metadata();
        let format: FileFormat = file.file_format.parse()?;
        let of_positions;
        let (schema, mapping, modes) = match file.content {
            FileContent::PositionDeletes => {
                of_positions = position_schema()?;
                let ids = [DELETE_FILE_PATH, DELETE_FILE_POS];
                (&of_positions, Some(NameMapping::of_schema(&of_positions)), Modes::only(ids))
            }
            FileContent::EqualityDeletes => {
                let ids = file.equality_ids.clone().unwrap_or_default();
                (metadata.current_schema().as_ref(), self.mapping.clone(), Modes::only(ids))
            }
            FileContent::Data => {
                (metadata.current_schema().as_ref(), self.mapping.clone(), self.modes.clone())
            }
        };
        let reader = self.access.open_file(&file.file_path, format, mapping.as_ref(), schema)?;
        let metrics = reader.metrics(schema, &modes)?;
        let metrics = self.by_rows(&reader, schema, &modes, metrics, by_rows)?;
        Ok(with_metrics(file, metrics))
    }

    /// Metrics with what rows say of columns of which the footer lacks something, or of all columns.
    fn by_rows(
        &self,
        reader: &Arc<dyn FileReader>,
        schema: &Schema,
        modes: &Modes,
        mut metrics: FileMetrics,
        all: bool,
    ) -> Result<FileMetrics> {
        let lacking = lacking(schema, modes, &metrics);
        let is_chosen = |id: i32| modes.of(id) != Mode::None && (all || lacking.contains(&id));
        for column in column_values(reader, schema, is_chosen, &self.cancel)? {
            put(&mut metrics, &column, modes.of(column.id))?;
        }
        Ok(metrics)
    }

    /// A vector with the number of its positions, and the size of its file.
    fn counted(&self, file: DataFile) -> Result<DataFile> {
        let (source, size) = self.opened(&file)?;
        let range = file.content_offset.zip(file.content_size_in_bytes);
        let range =
            range.and_then(|(at, length)| Some((u64::try_from(at).ok()?, u64::try_from(length).ok()?)));
        let end = range
            .and_then(|(at, length)| at.checked_add(length).filter(|end| *end <= size && length <= LARGEST));
        let (Some((at, _)), Some(end)) = (range, end) else {
            return Err(Error::invalid_data("the deletion vector is not in its file"));
        };
        let positions = vector::decode(&source.read(at..end)?, None)?;
        Ok(DataFile {
            record_count: i64::try_from(positions.len()).unwrap_or(i64::MAX),
            file_size_in_bytes: i64::try_from(size).unwrap_or(i64::MAX),
            ..file
        })
    }

    /// A vector with its place and its data file, if one blob of its Puffin file alone fits what the entry says.
    fn with_place(&self, file: DataFile) -> Result<DataFile> {
        let (source, size) = self.opened(&file)?;
        let (footer, _) = footer_of(source.as_ref(), size)?;
        let data_file = |blob: &BlobMetadata| blob.properties.get("referenced-data-file").cloned();
        let fits = |blob: &&BlobMetadata| {
            let named = data_file(blob);
            let same_file = file
                .referenced_data_file
                .as_ref()
                .is_none_or(|path| named.as_ref().is_some_and(|named| canonical(named) == canonical(path)));
            let same_place =
                |said: Option<i64>, there: u64| said.is_none_or(|said| u64::try_from(said) == Ok(there));
            blob.blob_type == "deletion-vector-v1"
                && named.is_some()
                && same_file
                && same_place(file.content_offset, blob.offset)
                && same_place(file.content_size_in_bytes, blob.length)
        };
        let mut fitting = footer.blobs.iter().filter(fits);
        let (Some(blob), None) = (fitting.next(), fitting.next()) else {
            return Err(Error::invalid_data("no single blob of the Puffin file fits the entry"));
        };
        let long = |number: u64| i64::try_from(number).ok();
        Ok(DataFile {
            referenced_data_file: data_file(blob),
            content_offset: long(blob.offset),
            content_size_in_bytes: long(blob.length),
            ..file
        })
    }

    fn opened(&self, file: &DataFile) -> Result<(Arc<dyn Source>, u64)> {
        let source = self.table.store().open(&file.file_path)?;
        let size = source.size()?;
        Ok((source, size))
    }
}

/// Columns of which a footer does not say everything that their modes ask for. No footer counts NaNs.
fn lacking(schema: &Schema, modes: &Modes, metrics: &FileMetrics) -> BTreeSet<i32> {
    let is_lacking = |id: &i32| {
        let Some(field) = schema.field(*id) else { return false };
        let Type::Primitive(primitive) = &field.field_type else { return false };
        let of =
            |counts: &Option<BTreeMap<i32, i64>>| counts.as_ref().and_then(|counts| counts.get(id).copied());
        let has = |bounds: &Option<BTreeMap<i32, Vec<u8>>>| {
            bounds.as_ref().is_some_and(|bounds| bounds.contains_key(id))
        };
        let (values, nulls) = (of(&metrics.value_counts), of(&metrics.null_value_counts));
        let is_float = matches!(primitive, PrimitiveType::Float | PrimitiveType::Double);
        let has_values = values.is_none() || values != nulls;
        let wants_bounds = matches!(modes.of(*id), Mode::Truncate(_) | Mode::Full);
        values.is_none()
            || nulls.is_none()
            || is_float
            || (wants_bounds && has_values && !(has(&metrics.lower_bounds) && has(&metrics.upper_bounds)))
    };
    schema.names().map(|(_, id)| id).filter(is_lacking).collect()
}

/// Puts what rows say of a column.
fn put(metrics: &mut FileMetrics, column: &ColumnValues, mode: Mode) -> Result<()> {
    let id = column.id;
    metrics.value_counts.get_or_insert_default().insert(id, column.values);
    metrics.null_value_counts.get_or_insert_default().insert(id, column.nulls);
    if matches!(column.field_type, Type::Primitive(PrimitiveType::Float | PrimitiveType::Double)) {
        metrics.nan_value_counts.get_or_insert_default().insert(id, column.nans);
    } else if let Some(nans) = &mut metrics.nan_value_counts {
        nans.remove(&id);
    }
    for bounds in [&mut metrics.lower_bounds, &mut metrics.upper_bounds] {
        bounds.get_or_insert_default().remove(&id);
    }
    let (least, most) = (column.least.clone(), column.most.clone());
    let (least, most) = match mode {
        Mode::None | Mode::Counts => (None, None),
        Mode::Full => (least, most),
        Mode::Truncate(length) => (
            least.map(|value| shorter_lower(value, length)),
            most.and_then(|value| shorter_upper(value, length)),
        ),
    };
    if let Some(value) = least {
        let bytes = to_bytes(&signed_zero(value, -1.0))?;
        metrics.lower_bounds.get_or_insert_default().insert(id, bytes);
    }
    if let Some(value) = most {
        let bytes = to_bytes(&signed_zero(value, 1.0))?;
        metrics.upper_bounds.get_or_insert_default().insert(id, bytes);
    }
    Ok(())
}
