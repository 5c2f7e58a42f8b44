//! How is a manifest list written?
//!
//! In: its snapshot, and its manifests. Out: its bytes, and the first row id for the next snapshot.
//! Spec: Manifest Lists; First Row ID Assignment.
//!
//! Invariant: a manifest keeps its first row id. Data manifests without one get ids for all their added and existing rows,
//! including files from before v3; delete manifests get none.

use std::io::Write;

use floeberg_avro::write::{ContainerOptions, ContainerWriter, Encoder, declare};
use floeberg_avro::{UnknownField, UnknownRow};
use floeberg_core::{Context, Error, Result};

use super::declare_unknown::declare_unknown;
use super::list_fields::list_fields;
use crate::manifest::{FieldSummary, ManifestContent, ManifestFile};
use crate::metadata::check_version;

/// Which manifest list is written.
#[derive(Debug, Clone, Copy)]
pub struct ManifestListRequest<'a> {
    /// Where it will be.
    pub location: &'a str,
    /// 1, 2 or 3.
    pub format_version: u8,
    /// Its snapshot.
    pub snapshot_id: i64,
    /// The snapshot before.
    pub parent_snapshot_id: Option<i64>,
    /// The snapshot's sequence number; 0 in v1.
    pub sequence_number: i64,
    /// The first row id of the snapshot, in v3 only.
    pub first_row_id: Option<i64>,
    /// Fields that this version does not know, and that manifests of other lists have.
    pub unknown: &'a [UnknownField],
}

/// A manifest list in the making.
pub struct ManifestListWriter<W> {
    container: ContainerWriter<W>,
    unknown: Vec<UnknownField>,
    format_version: u8,
    next_row_id: Option<i64>,
    location: String,
}

/// A manifest list that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrittenManifestList {
    /// Bytes.
    pub length: u64,
    /// The first row id after those of all manifests (v3).
    pub next_row_id: Option<i64>,
}

impl<W: Write> ManifestListWriter<W> {
    /// Starts a manifest list, at the beginning of an output. Errors name its location.
    ///
    /// Errors: `Unsupported` for a format version that is not written, `InvalidInput` for sequence numbers in v1, for row
    /// ids before v3 and for none in v3, `Storage` where the output fails.
    pub fn new(output: W, request: &ManifestListRequest<'_>, options: &ContainerOptions) -> Result<Self> {
        Self::start(output, request, options).context("path", request.location)
    }

    fn start(output: W, request: &ManifestListRequest<'_>, options: &ContainerOptions) -> Result<Self> {
        let &ManifestListRequest { format_version, sequence_number, first_row_id, .. } = request;
        check_version(format_version)?;
        check_sequence_number(format_version, sequence_number)?;
        if first_row_id.is_some() != (format_version >= 3) || first_row_id.is_some_and(|id| id < 0) {
            return Err(Error::invalid_input(format!(
                "expected a first row id of 0 or more from format version 3 on, and none before; found {first_row_id:?} in \
                 format version {format_version}"
            )));
        }
        let parent = request.parent_snapshot_id.map_or_else(|| "null".to_owned(), |id| id.to_string());
        let mut header =
            vec![("snapshot-id", request.snapshot_id.to_string()), ("parent-snapshot-id", parent)];
        if format_version >= 2 {
            header.push(("sequence-number", sequence_number.to_string()));
        }
        if let Some(id) = first_row_id {
            header.push(("first-row-id", id.to_string()));
        }
        header.push(("format-version", format_version.to_string()));
        let mut schema = declare(&list_fields(format_version), "manifest_file")?;
        declare_unknown(&mut schema, request.unknown)?;
        let schema = schema.to_string();
        Ok(Self {
            container: ContainerWriter::new(output, &schema, &header, options)?,
            unknown: request.unknown.to_vec(),
            format_version,
            next_row_id: first_row_id,
            location: request.location.to_owned(),
        })
    }

    /// Adds a manifest. Errors name the manifest, and leave the list unchanged.
    ///
    /// Errors: `InvalidInput` for a manifest that lacks a field of the format version, or has one that the version does not allow;
    /// `Storage` if the output fails.
    pub fn add(&mut self, manifest: &ManifestFile) -> Result<()> {
        self.put(manifest).context("manifest", &manifest.manifest_path).context("path", &self.location)
    }

    fn put(&mut self, manifest: &ManifestFile) -> Result<()> {
        let (first_row_id, next_row_id) = self.row_ids(manifest)?;
        let row = Row::new(manifest, first_row_id, self.format_version)?;
        self.container.add(|out| {
            row.put(out);
            for field in &self.unknown {
                UnknownRow::put(manifest.unknown.as_deref(), field, out);
            }
            Ok(())
        })?;
        self.next_row_id = next_row_id;
        Ok(())
    }

    /// The first row id of a manifest, and the next free one.
    fn row_ids(&self, manifest: &ManifestFile) -> Result<(Option<i64>, Option<i64>)> {
        match (manifest.content, manifest.first_row_id, self.next_row_id) {
            (_, Some(_), None) => {
                Err(Error::invalid_input("manifests have first row ids only in format version 3"))
            }
            (ManifestContent::Deletes, Some(_), _) => {
                Err(Error::invalid_input("the rows of delete files have no row ids"))
            }
            (ManifestContent::Data, None, Some(next)) => {
                // It is not known which files in a manifest of another writer have ids.
                let rows = match manifest.rows_without_ids {
                    Some(rows) => [Some(rows), None],
                    None => [manifest.added_rows_count, manifest.existing_rows_count],
                };
                let after = rows.into_iter().flatten().try_fold(next, i64::checked_add);
                let after = after.ok_or_else(|| Error::invalid_input("row ids do not fit into 64 bits"))?;
                Ok((Some(next), Some(after)))
            }
            (_, own, next) => Ok((own, next)),
        }
    }

    /// Ends the list. Returns the output and the values that the snapshot needs.
    pub fn finish(self) -> Result<(W, WrittenManifestList)> {
        let (output, length) = self.container.finish().context("path", &self.location)?;
        Ok((output, WrittenManifestList { length, next_row_id: self.next_row_id }))
    }
}

fn check_sequence_number(format_version: u8, sequence_number: i64) -> Result<()> {
    match (format_version, sequence_number) {
        (1, 0) | (2.., 0..) => Ok(()),
        (1, found) => {
            Err(Error::invalid_input(format!("format version 1 has no sequence numbers, found {found}")))
        }
        (_, found) => {
            Err(Error::invalid_input(format!("expected a sequence number of 0 or more, found {found}")))
        }
    }
}

/// A checked row.
struct Row<'a> {
    manifest: &'a ManifestFile,
    added_snapshot_id: i64,
    files: [Option<i32>; 3],
    rows: [Option<i64>; 3],
    first_row_id: Option<i64>,
    format_version: u8,
}

impl<'a> Row<'a> {
    fn new(manifest: &'a ManifestFile, first_row_id: Option<i64>, format_version: u8) -> Result<Self> {
        let is_v1 = format_version == 1;
        if is_v1 && manifest.content == ManifestContent::Deletes {
            return Err(Error::invalid_input("format version 1 has no delete files"));
        }
        for number in [manifest.sequence_number, manifest.min_sequence_number] {
            check_sequence_number(format_version, number)?;
        }
        let snapshot_id = manifest.added_snapshot_id;
        let added_snapshot_id = snapshot_id
            .ok_or_else(|| Error::invalid_input("a manifest needs the id of the snapshot that added it"))?;
        let files = [manifest.added_files_count, manifest.existing_files_count, manifest.deleted_files_count];
        let rows = [manifest.added_rows_count, manifest.existing_rows_count, manifest.deleted_rows_count];
        let counts = files.iter().chain(&rows);
        if counts.clone().any(|count| count.map_or(!is_v1, |count| count < 0)) || manifest.manifest_length < 0
        {
            return Err(Error::invalid_input(
                "expected counts of 0 or more for the files and rows of a manifest",
            ));
        }
        let narrow = |count: i64| {
            i32::try_from(count)
                .map_err(|_| Error::invalid_input(format!("a manifest cannot have {count} files")))
        };
        let [added, existing, deleted] = files.map(|count| count.map(narrow).transpose());
        Ok(Self {
            manifest,
            added_snapshot_id,
            files: [added?, existing?, deleted?],
            rows,
            first_row_id,
            format_version,
        })
    }

    /// Fields in the order of `list_fields.rs`.
    fn put(&self, out: &mut Encoder) {
        let (manifest, is_v1) = (self.manifest, self.format_version == 1);
        out.prefixed(manifest.manifest_path.as_bytes());
        out.long(manifest.manifest_length);
        out.int(manifest.partition_spec_id);
        if !is_v1 {
            out.int(i32::from(manifest.content == ManifestContent::Deletes));
            out.long(manifest.sequence_number);
            out.long(manifest.min_sequence_number);
        }
        out.long(self.added_snapshot_id);
        for files in self.files {
            self.put_count(out, files.map(i64::from));
        }
        if is_v1 {
            put_summaries(out, manifest.partitions.as_deref());
        }
        for rows in self.rows {
            self.put_count(out, rows);
        }
        if !is_v1 {
            put_summaries(out, manifest.partitions.as_deref());
        }
        out.optional(manifest.key_metadata.as_deref(), Encoder::prefixed);
        if self.format_version >= 3 {
            out.optional(self.first_row_id, Encoder::long);
        }
    }

    /// Optional in v1, required after it.
    fn put_count(&self, out: &mut Encoder, count: Option<i64>) {
        if self.format_version == 1 {
            out.optional(count, Encoder::long);
        } else {
            out.long(count.unwrap_or_default());
        }
    }
}

fn put_summaries(out: &mut Encoder, summaries: Option<&[FieldSummary]>) {
    out.optional(summaries, |out, summaries| {
        out.items(summaries.iter(), |out, summary| {
            out.boolean(summary.contains_null);
            out.optional(summary.contains_nan, Encoder::boolean);
            out.optional(summary.lower_bound.as_deref(), Encoder::prefixed);
            out.optional(summary.upper_bound.as_deref(), Encoder::prefixed);
        });
    });
}
