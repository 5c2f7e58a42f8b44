//! How is a manifest written?
//!
//! In: the kind of manifest, and entries. Out: its bytes, and its row of the manifest list.
//! Spec: Manifests; Manifest Lists; Sequence Numbers.
//!
//! Invariant: counts, rows, the lowest sequence number and the summaries are those of the written entries. The sequence number of
//! the commit is not in the file, so that a retry can keep the file.

use std::io::Write;

use floeberg_avro::write::{ContainerOptions, ContainerWriter, declare};
use floeberg_avro::{UnknownField, UnknownRow};
use floeberg_core::schema::{Schema, StructType, json::schema_to_json};
use floeberg_core::{Context, Error, Result};
use floeberg_io::FileKey;

use super::ManifestEntry;
use super::declare_unknown::declare_unknown;
use super::entry_fields::entry_fields;
use super::put_entry::put_entry;
use super::put_partition::PartitionFields;
use super::rules::Rules;
use super::tally::Tally;
use crate::manifest::{ManifestContent, ManifestFile};
use crate::metadata::PartitionSpec;
use crate::metadata::json::emit_fields;

/// Which manifest is written.
#[derive(Debug, Clone, Copy)]
pub struct ManifestRequest<'a> {
    /// Its location, as the manifest list will have it.
    pub location: &'a str,
    /// 1, 2 or 3.
    pub format_version: u8,
    /// Data files or delete files.
    pub content: ManifestContent,
    /// The snapshot that adds it.
    pub snapshot_id: i64,
    /// The table's schema.
    pub schema: &'a Schema,
    /// How its files are partitioned.
    pub spec: &'a PartitionSpec,
    /// The type of the spec's values: [`PartitionSpec::partition_type`].
    pub partition_type: &'a StructType,
    /// Fields that this version does not know, and that entries from other manifests have.
    pub unknown: &'a [UnknownField],
}

/// A manifest in the making.
pub struct ManifestWriter<W> {
    container: ContainerWriter<W>,
    rules: Rules,
    partition: PartitionFields,
    /// First those of files.
    unknown: Vec<UnknownField>,
    tally: Tally,
    location: String,
    spec_id: i32,
}

/// Entries of a manifest, without its header.
pub struct ManifestPart {
    blocks: Vec<u8>,
    tally: Tally,
}

impl ManifestPart {
    /// The number of its entries.
    pub fn files(&self) -> u64 {
        self.tally.files()
    }
}

/// A written manifest that is not committed yet.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenManifest {
    file: ManifestFile,
    /// The lowest sequence number of live entries with one of their own.
    least_sequence_number: Option<i64>,
    /// Does any live entry inherit the sequence number of the commit?
    inherits: bool,
}

impl<W: Write> ManifestWriter<W> {
    /// Starts a manifest, at the beginning of an output. Errors name its location.
    ///
    /// Errors: `Unsupported` for an unknown format version or transform; `InvalidInput` for a partition type that is not the spec's,
    /// and for deletes in v1; `Storage` if the output fails.
    pub fn new(output: W, request: &ManifestRequest<'_>, options: &ContainerOptions) -> Result<Self> {
        Self::start(output, request, options).context("path", request.location)
    }

    fn start(output: W, request: &ManifestRequest<'_>, options: &ContainerOptions) -> Result<Self> {
        let &ManifestRequest { format_version, content, snapshot_id, .. } = request;
        let rules = Rules { format_version, content, snapshot_id };
        rules.check_manifest()?;
        let partition = PartitionFields::new(request.spec, request.partition_type)?;
        let mut schema = declare(&entry_fields(format_version, request.partition_type), "manifest_entry")?;
        let (mut unknown, of_entry): (Vec<_>, Vec<_>) =
            request.unknown.iter().cloned().partition(|field| field.is_held);
        unknown.extend(of_entry);
        declare_unknown(&mut schema, &unknown)?;
        let mut header = vec![
            ("schema", schema_to_json(request.schema)?.to_string()),
            ("schema-id", request.schema.schema_id().to_string()),
            ("partition-spec", emit_fields(request.spec).to_string()),
            ("partition-spec-id", request.spec.spec_id.to_string()),
            ("format-version", format_version.to_string()),
        ];
        if format_version >= 2 {
            let content = if content == ManifestContent::Data { "data" } else { "deletes" };
            header.push(("content", content.to_owned()));
        }
        Ok(Self {
            container: ContainerWriter::new(output, &schema.to_string(), &header, options)?,
            rules,
            partition,
            unknown,
            tally: Tally::new(request.partition_type.fields.len()),
            location: request.location.to_owned(),
            spec_id: request.spec.spec_id,
        })
    }

    /// Adds an entry. Errors name the manifest and the file, and leave the manifest unchanged.
    ///
    /// Errors: `InvalidInput` for an entry that breaks a rule of the specification, `Storage` where the output fails.
    pub fn add(&mut self, entry: &ManifestEntry) -> Result<()> {
        self.add_carried(entry, None)
    }

    /// Adds an entry of another manifest, with the bytes of its [carried fields](crate::manifest::ManifestEntries::carried), if it has
    /// them.
    ///
    /// Errors: those of [`add`](Self::add).
    pub fn add_carried(&mut self, entry: &ManifestEntry, carried: Option<&[u8]>) -> Result<()> {
        let put = self.put(entry, carried);
        put.context("file_path", &entry.data_file.file_path).context("path", &self.location)
    }

    fn put(&mut self, entry: &ManifestEntry, carried: Option<&[u8]>) -> Result<()> {
        if carried.is_some() && self.rules.format_version < 2 {
            return Err(Error::internal("format version 1 has other bytes for the fields of a file"));
        }
        self.rules.check(entry)?;
        self.partition.check(&entry.data_file.partition)?;
        if entry.unknown.as_ref().is_some_and(|row| !row.fits(&self.unknown)) {
            return Err(Error::internal("an entry has fields that its new manifest does not declare"));
        }
        let counted = self.tally.counted(entry)?;
        let (partition, format_version) = (&self.partition, self.rules.format_version);
        let unknown = &self.unknown;
        // v1 has no inheritance, so every entry has the snapshot id.
        let own = (format_version == 1 && entry.snapshot_id.is_none())
            .then(|| ManifestEntry { snapshot_id: Some(self.rules.snapshot_id), ..entry.clone() });
        self.container.add(|out| {
            put_entry(out, own.as_ref().unwrap_or(entry), carried, partition, format_version);
            for field in unknown {
                UnknownRow::put(entry.unknown.as_ref(), field, out);
            }
            Ok(())
        })?;
        self.tally.add(entry, counted);
        Ok(())
    }

    /// How many bytes the manifest has so far, about.
    pub fn length(&self) -> u64 {
        self.container.length()
    }

    /// Ends the manifest. Returns the output and the fields of its row of a manifest list.
    pub fn finish(self) -> Result<(W, WrittenManifest)> {
        let Self { container, rules, tally, location, spec_id, .. } = self;
        let (output, length) = container.finish().context("path", &location)?;
        let written = WrittenManifest::of(&rules, tally, location, length, spec_id)?;
        Ok((output, written))
    }
}

/// Parts of one manifest are made beside each other, and joined.
impl ManifestWriter<Vec<u8>> {
    /// A writer of parts alone. Errors: those of [`new`](Self::new).
    pub fn of_parts(request: &ManifestRequest<'_>, options: &ContainerOptions) -> Result<Self> {
        let mut writer = Self::new(Vec::new(), request, options)?;
        // The header: the manifest that gets the parts has its own.
        writer.container.cut()?;
        Ok(writer)
    }

    /// Ends a part: the entries since the last one. Errors: those of [`add`](Self::add).
    pub fn cut(&mut self) -> Result<ManifestPart> {
        let blocks = self.container.cut().context("path", &self.location)?;
        let empty = Tally::new(self.tally.summaries.len());
        let tally = std::mem::replace(&mut self.tally, empty);
        Ok(ManifestPart { blocks, tally })
    }

    /// Ends the manifest with parts: those of writers with the same request, but for the location, and the same options with a marker.
    /// Returns the bytes, in pieces.
    ///
    /// Errors: `InvalidInput` for more rows than 64 bits can count; `Storage` where the output fails.
    pub fn finish_with(mut self, parts: Vec<ManifestPart>) -> Result<(Vec<Vec<u8>>, WrittenManifest)> {
        let mut pieces = vec![self.container.cut().context("path", &self.location)?];
        for ManifestPart { blocks, tally } in parts {
            self.tally.join(tally).context("path", &self.location)?;
            pieces.push(blocks);
        }
        let length = pieces.iter().map(|piece| piece.len() as u64).sum();
        let written = WrittenManifest::of(&self.rules, self.tally, self.location, length, self.spec_id)?;
        Ok((pieces, written))
    }
}

impl WrittenManifest {
    fn of(rules: &Rules, tally: Tally, location: String, length: u64, spec_id: i32) -> Result<Self> {
        let [existing, added, deleted] = tally.counts;
        let file = ManifestFile {
            added_snapshot_id: Some(rules.snapshot_id),
            added_files_count: Some(added.files),
            existing_files_count: Some(existing.files),
            deleted_files_count: Some(deleted.files),
            added_rows_count: Some(added.rows),
            existing_rows_count: Some(existing.rows),
            deleted_rows_count: Some(deleted.rows),
            partitions: Some(tally.summaries.finish().context("path", &location)?),
            rows_without_ids: Some(tally.rows_without_ids),
            ..ManifestFile::unlisted(location, length as i64, spec_id, rules.content)
        };
        Ok(Self { file, least_sequence_number: tally.least_sequence_number, inherits: tally.inherits })
    }

    /// The same, stored encrypted: with its key metadata, and as long as it is stored.
    #[must_use]
    pub fn encrypted_by(mut self, key: &FileKey) -> Self {
        self.file.key_metadata = Some(key.to_bytes().to_vec());
        self.file.manifest_length = key.length().map_or(self.file.manifest_length, |length| length as i64);
        self
    }

    /// Its row of the manifest list of a commit with that sequence number (0 in v1).
    pub fn in_commit(&self, sequence_number: i64) -> ManifestFile {
        let min_sequence_number = match self.least_sequence_number {
            Some(least) if self.inherits => least.min(sequence_number),
            Some(least) => least,
            // As in Iceberg Java, also without live entries.
            None => sequence_number,
        };
        ManifestFile { sequence_number, min_sequence_number, ..self.file.clone() }
    }
}
