//! Which new table do the files of an old one make?
//!
//! In: a request. Out: the table, planned, and every file that is not in it with the reason.
//! Spec: Table Metadata Fields; Sequence Numbers; Row Lineage.
//!
//! Invariant: the next sequence number and the next row id are above all that are known. Files that are gone are left out only where that
//! is asked for.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use floeberg_commit::{KeptEntries, Rebuild};
use floeberg_core::finding::split;
use floeberg_core::schema::NameMapping;
use floeberg_core::{Cancel, Error, ErrorKind, Result};
use floeberg_exec::budget::thread_budget;
use floeberg_exec::threads::ordered;
use floeberg_iceberg::add_files::{FilesToAdd, FootersRead};
use floeberg_iceberg::metadata::{HintedFile, TableMetadata, hinted_metadata};
use floeberg_iceberg::write::Receipt;
use floeberg_io::location::{join, without_end_slashes};
use floeberg_io::random::random_uuid;
use floeberg_properties::NAME_MAPPING;

use super::advice::advice;
use super::avro_files::{AvroFiles, FoundManifest};
use super::base::{Base, find_base};
use super::chosen::{Counters, Named, entries_of_others, live, named};
use super::columns::of_schema;
use super::folder::{Folder, check_target};
use super::footers::{AT_A_TIME, FooterColumns, columns_of_files, footer};
use super::metadata_files::newest_metadata;
use super::named_files::doubts;
use super::newer_lists::name_newer_lists;
use super::read_whole::ListedFile;
use super::request::{LeftFile, PassedOver, Reader, RebuildPlan, RebuildRequest};
use super::unproven::{unproven_files, with_all_columns};
use crate::place::Place;

/// Properties that say where files go, or that would remove files: those of the old table are not the new one's.
const LEFT_OUT: [&str; 5] = [
    "write.metadata.path",
    "write.data.path",
    "write.object-storage.path",
    "write.folder-storage.path",
    "gc.enabled",
];

/// Entries that are kept, and the files that they are of.
type Kept = Vec<(KeptEntries, Vec<ListedFile>)>;

/// Plans a new table. Nothing is written.
///
/// Errors: `InvalidInput` where nothing proves which files are live, for a target that is not new, and for a folder of another format;
/// `NotFound` for live files that are gone; `InvalidData` for a snapshot that cannot be read whole; `Unsupported` for an encrypted table;
/// those of the store.
pub fn plan_rebuild(request: &RebuildRequest, cancel: &Cancel) -> Result<RebuildPlan> {
    let reader = Reader::new(&request.storage, cancel)?;
    let folder = Folder::list(reader.store.as_ref(), &request.location)?;
    check_target(reader.store.as_ref(), &request.location, &request.target)?;
    let mut passed_over: Vec<PassedOver> = folder
        .folders
        .iter()
        .map(|location| PassedOver {
            location: location.clone(),
            reason: "expected a file, found a folder".to_owned(),
        })
        .collect();
    let newest = newest_metadata(&reader, &folder.metadata_files, &mut passed_over)?;
    if newest.is_some() {
        let metadata_folder = join(&folder.location, "metadata");
        if let HintedFile::Broken(reason) = hinted_metadata(reader.store.as_ref(), &metadata_folder)? {
            passed_over.push(PassedOver { location: join(&metadata_folder, "version-hint.text"), reason });
        }
    }
    if let Some(newest) = &newest {
        newest.metadata.check_not_encrypted()?;
    }
    let avro = AvroFiles::read(&reader, &folder.avro_files, &mut passed_over)?;
    let base = match find_base(&reader, newest.as_ref(), &avro, request.snapshot_id, &mut passed_over) {
        // Whoever names the files does not ask which list is the current one.
        Err(error) if request.files.is_some() && error.kind() == ErrorKind::InvalidInput => None,
        found => found?,
    };
    let mut unproven = match &base {
        Some(base) => {
            name_newer_lists(&reader, &folder, base, &avro, &mut passed_over)?;
            unproven_files(&reader, base, &avro, &mut passed_over)?
        }
        None => Vec::new(),
    };
    let known = newest.as_ref().map(|newest| newest.metadata.as_ref());
    let mut planning = Planning { request, reader: &reader, folder: &folder, avro: &avro, passed_over };
    let planned = match (&base, &request.files) {
        (None, None) => return Err(planning.nothing_proves()),
        (Some(base), None) => planning.whole(base)?,
        (base, Some(files)) => {
            planning.of_files(base.as_ref(), known, named(&reader, files)?, &mut unproven)?
        }
    };
    let Planned { mut metadata, kept, added, source } = planned;
    if request.files.is_some() {
        let of_kept = kept.iter().flat_map(|(_, files)| files).map(ListedFile::key);
        let of_added = added.locations().map(|location| (reader.place(location), None));
        let taken = of_kept.chain(of_added).collect();
        let passed_over = &mut planning.passed_over;
        unproven.extend(doubts(&reader, &metadata, base.as_ref(), &avro, &taken, passed_over)?);
    }
    let (kept, missing) = planning.without_missing(kept)?;
    let kept = without_dangling(&reader, kept, &added, &mut unproven);
    check_vectors(&kept)?;
    if newest.is_none() {
        planning.check_names(&mut metadata, &kept)?;
    } else if request.name_mapping.is_some() {
        return Err(Error::invalid_input(
            "name_mapping: expected none, since metadata that is there says it",
        ));
    }
    let mut source_files = base.as_ref().map(|base| base.source_files.clone()).unwrap_or_default();
    if source == "manifests" {
        source_files = kept.iter().map(|(entries, _)| entries.manifest.manifest_path.clone()).collect();
    }
    let files = || kept.iter().flat_map(|(_, files)| files);
    let count = |is_data: bool| files().filter(|file| file.is_data() == is_data).count() as u64;
    let rows = files().filter(|file| file.is_data()).fold(0_i64, |sum, file| sum.saturating_add(file.rows));
    let added_rows = i64::try_from(added.rows()).unwrap_or(i64::MAX);
    let is_sound = base.as_ref().is_some_and(|base| base.is_current)
        && request.files.is_none()
        && planning.passed_over.is_empty()
        && unproven.is_empty()
        && missing.is_empty();
    Ok(RebuildPlan {
        source,
        source_files,
        snapshot_id: base.as_ref().and_then(|base| base.snapshot_id),
        passed_over: planning.passed_over,
        data_files: count(true) + added.files().len() as u64,
        delete_files: count(false),
        rows: rows.saturating_add(added_rows),
        unproven,
        missing,
        advice: advice(base.as_ref(), is_sound, request),
        rebuild: Rebuild {
            metadata: Arc::new(metadata),
            parent_snapshot_id: base.as_ref().map_or_else(|| newest_snapshot(&kept), |base| base.snapshot_id),
            manifests: kept.into_iter().map(|(entries, _)| entries).collect(),
            added,
        },
    })
}

struct Planned {
    metadata: TableMetadata,
    kept: Kept,
    added: Receipt,
    source: &'static str,
}

struct Planning<'a> {
    request: &'a RebuildRequest,
    reader: &'a Reader,
    folder: &'a Folder,
    avro: &'a AvroFiles,
    passed_over: Vec<PassedOver>,
}

impl Planning<'_> {
    /// Everything that the base lists.
    fn whole(&self, base: &Base) -> Result<Planned> {
        self.check_no_schema()?;
        let counters = self.counters(&base.metadata, Some(base));
        let kept = base.manifests.iter().map(|manifest| {
            let files: Vec<ListedFile> = live(manifest).cloned().collect();
            (KeptEntries { manifest: manifest.manifest.clone(), is_kept: vec![true; files.len()] }, files)
        });
        let kept = kept.collect();
        let metadata = new_table(base.metadata.clone(), &self.request.target, counters);
        Ok(Planned { metadata, kept, added: Receipt::default(), source: base.source })
    }

    /// The files that the caller names, and the delete files of the base.
    fn of_files(
        &mut self,
        base: Option<&Base>,
        known: Option<&TableMetadata>,
        mut left: Named,
        unproven: &mut Vec<LeftFile>,
    ) -> Result<Planned> {
        let mut kept = Kept::new();
        for manifest in base.iter().flat_map(|base| &base.manifests) {
            let (mut is_kept, mut files) = (Vec::new(), Vec::new());
            let mut found = Vec::new();
            for file in live(manifest) {
                let is_named = left.contains_key(&file.place);
                let stays = is_named || !file.is_data();
                is_kept.push(stays);
                if stays {
                    found.push(file.place.clone());
                    files.push(file.clone());
                } else {
                    unproven.push(file.left("the snapshot lists it, and files= does not: it is left out"));
                }
            }
            for place in found {
                left.remove(&place);
            }
            kept.push((KeptEntries { manifest: manifest.manifest.clone(), is_kept }, files));
        }
        let others: Vec<&FoundManifest> = match base {
            None => self.avro.manifests.iter().collect(),
            Some(base) => {
                let of_base: HashSet<Place> = base
                    .manifests
                    .iter()
                    .map(|manifest| self.reader.place(&manifest.manifest.manifest_path))
                    .collect();
                let all = self.avro.manifests.iter();
                all.filter(|found| !of_base.contains(&self.reader.place(&found.manifest.manifest_path)))
                    .collect()
            }
        };
        let metadata = match base.map(|base| &base.metadata).or(known) {
            Some(metadata) => Some(with_all_columns(metadata, self.avro, &others, &mut self.passed_over)?),
            None => self.columns_of_manifests()?,
        };
        let Some(metadata) = metadata else { return self.of_footers(&left) };
        self.check_no_schema()?;
        let mut counters = self.counters(&metadata, base);
        let (reader, avro) = (self.reader, self.avro);
        let passed_over = &mut self.passed_over;
        let of_others =
            entries_of_others(reader, &metadata, avro, &others, &mut left, &mut counters, passed_over)?;
        let source = match (base, of_others.is_empty()) {
            (Some(base), _) => base.source,
            (None, false) => "manifests",
            (None, true) => "files",
        };
        let taken: HashSet<&Place> =
            of_others.iter().flat_map(|(_, files)| files).map(|file| &file.place).collect();
        unproven.retain(|file| !taken.contains(&reader.place(&file.location)));
        kept.extend(of_others);
        let mut metadata = new_table(metadata, &self.request.target, counters);
        let columns = columns_of_files(reader, &left)?;
        raise(&mut metadata, &columns);
        let added = self.described(&mut metadata, &left)?;
        Ok(Planned { metadata, kept, added, source })
    }

    /// The columns that manifests have, where there is no metadata and no list. The schema with the highest id is the newest.
    fn columns_of_manifests(&mut self) -> Result<Option<TableMetadata>> {
        let mut manifests: Vec<&FoundManifest> = self.avro.manifests.iter().collect();
        let schema_id = |found: &FoundManifest| {
            let header = self.avro.columns.get(found.columns)?;
            header.schema.as_ref()?.get("schema-id")?.as_i64()
        };
        manifests.sort_by_key(|found| (schema_id(found), found.manifest.partition_spec_id));
        let Some(version) = manifests.iter().map(|found| found.format_version).max() else { return Ok(None) };
        let empty = TableMetadata::empty(version)?;
        let mut all = with_all_columns(&empty, self.avro, &manifests, &mut self.passed_over)?;
        if all.schemas.is_empty() || all.partition_specs.is_empty() {
            return Ok(None);
        }
        let schema_id = all.schemas.iter().map(|schema| schema.schema_id()).max().unwrap_or(0);
        let spec_id = all.partition_specs.iter().map(|spec| spec.spec_id).max().unwrap_or(0);
        all.choose_schema(schema_id)?;
        all.choose_spec(spec_id)?;
        Ok(Some(all))
    }

    /// A table of data files alone, by their footers.
    fn of_footers(&self, left: &Named) -> Result<Planned> {
        let columns = columns_of_files(self.reader, left)?;
        let schema = match &self.request.schema {
            Some(schema) => schema.clone(),
            None => columns.schema()?,
        };
        let version = if columns.next_row_id.is_some() { 3 } else { 2 };
        let metadata = of_schema(version, schema)?;
        let counters = self.counters(&metadata, None);
        let mut metadata = new_table(metadata, &self.request.target, counters);
        raise(&mut metadata, &columns);
        let added = self.described(&mut metadata, left)?;
        Ok(Planned { metadata, kept: Kept::new(), added, source: "files" })
    }

    /// Files that no manifest lists, by their footers.
    fn described(&self, metadata: &mut TableMetadata, left: &Named) -> Result<Receipt> {
        if left.is_empty() {
            return Ok(Receipt::default());
        }
        let locations: Vec<String> = left.values().cloned().collect();
        let table = self.reader.table(&Arc::new(metadata.clone()))?;
        let files = FilesToAdd { locations: &locations, trust_field_ids: true, are_of_table: true };
        let described = files.describe(&table, &FootersRead::default(), &self.reader.cancel)?;
        if let Some(mapping) = described.name_mapping {
            metadata.properties.entry(NAME_MAPPING.to_owned()).or_insert(mapping);
        }
        Ok(described.receipt)
    }

    /// The numbers above all that are known.
    fn counters(&self, metadata: &TableMetadata, base: Option<&Base>) -> Counters {
        let files = || base.into_iter().flat_map(|base| &base.manifests).flat_map(|manifest| &manifest.files);
        let of_lists = self.avro.lists.iter().filter_map(|list| list.header.sequence_number);
        let of_base =
            base.into_iter().flat_map(|base| &base.manifests).map(|each| each.manifest.sequence_number);
        let last = of_lists.chain(of_base).fold(metadata.last_sequence_number, i64::max);
        let next_row_id = (metadata.format_version >= 3).then(|| {
            let first = metadata.next_row_id.unwrap_or(0);
            let of_lists = self.avro.lists.iter().filter_map(|list| list.header.first_row_id);
            let known = files().filter_map(ListedFile::end_of_row_ids).chain(of_lists);
            known.fold(first, i64::max)
        });
        let last = if metadata.format_version == 1 { 0 } else { last };
        Counters { sequence_number: last.saturating_add(1), next_row_id }
    }

    /// Without metadata the name mapping is gone too: data files without field ids would be read by positions.
    ///
    /// Errors: `InvalidInput` for such a file, unless the mapping is given; those of reading footers.
    fn check_names(&self, metadata: &mut TableMetadata, kept: &Kept) -> Result<()> {
        if let Some(mapping) = &self.request.name_mapping {
            NameMapping::from_json(mapping).map_err(Error::of_input)?;
            metadata.properties.insert(NAME_MAPPING.to_owned(), mapping.clone());
            return Ok(());
        }
        let data = kept.iter().flat_map(|(_, files)| files).filter(|file| file.is_data());
        let paths: Vec<&str> = data.map(|file| file.path.as_str()).collect();
        let without = ordered(&paths, AT_A_TIME, &self.reader.cancel, |path| {
            let found = footer(&self.reader.store, path, &self.reader.cancel);
            // A damaged file is as it was; a check names it.
            Ok(split(found)?.is_ok_and(|found| !found.fields().has_ids))
        })?;
        let Some(path) = paths.iter().zip(without).find(|(_, is_without)| *is_without).map(|(path, _)| path)
        else {
            return Ok(());
        };
        Err(Error::invalid_input(
            "the data file has no field ids, and the name mapping that says its columns is gone with the metadata: give name_mapping=",
        )
        .with("path", *path))
    }

    fn check_no_schema(&self) -> Result<()> {
        if self.request.schema.is_none() {
            return Ok(());
        }
        Err(Error::invalid_input(
            "schema: expected none, since metadata or manifests that are there say the columns",
        ))
    }

    /// Errors: `NotFound` for files that are gone, unless they are left out.
    fn without_missing(&self, kept: Kept) -> Result<(Kept, Vec<LeftFile>)> {
        let paths: Vec<&str> =
            kept.iter().flat_map(|(_, files)| files).map(|file| file.path.as_str()).collect();
        let store = self.reader.store.as_ref();
        let is_there =
            ordered(&paths, thread_budget()?, &self.reader.cancel, |path| self.folder.has(store, path))?;
        let (mut is_there, mut missing) = (is_there.into_iter(), Vec::new());
        let mut left = Kept::new();
        for (mut entries, files) in kept {
            let mut stays = Vec::new();
            let kept_rows: Vec<usize> =
                (0..entries.is_kept.len()).filter(|row| entries.is_kept[*row]).collect();
            for (row, file) in kept_rows.into_iter().zip(files) {
                if is_there.next().unwrap_or(true) {
                    stays.push(file);
                } else {
                    entries.is_kept[row] = false;
                    missing.push(file.left("the file is gone"));
                }
            }
            left.push((entries, stays));
        }
        let refused = |file: &&LeftFile| match file.content {
            "data" => !self.request.drops_missing_data_files,
            _ => !self.request.drops_missing_delete_files,
        };
        let refused: Vec<&LeftFile> = missing.iter().filter(refused).collect();
        let Some(first) = refused.first() else { return Ok((left, missing)) };
        let argument = match first.content {
            "data" => "drop_missing_data_files=True leaves them out, and their rows are lost",
            _ => "drop_missing_delete_files=True leaves them out, and the rows that they deleted come back",
        };
        let named: Vec<&str> = refused.iter().take(MOST_NAMED).map(|file| file.location.as_str()).collect();
        let message =
            format!("{} live files are gone: {argument}. The first are {}", refused.len(), named.join(", "));
        Err(Error::not_found(message).with("path", &first.location))
    }

    fn nothing_proves(&self) -> Error {
        let mut message = "nothing that is left of the table proves which files are live: no snapshot can be read whole. Look at \
                           fb.rebuild_candidates, and name the live files by files="
            .to_owned();
        for over in self.passed_over.iter().take(MOST_NAMED) {
            message = format!("{message}. {}: {}", over.location, over.reason);
        }
        Error::invalid_input(message).with("path", &self.folder.location)
    }
}

/// So many files are named in a message.
const MOST_NAMED: usize = 5;

/// Ids that files have are not given again.
fn raise(metadata: &mut TableMetadata, columns: &FooterColumns) {
    metadata.last_column_id = metadata.last_column_id.max(columns.highest_id);
    if let (Some(next), Some(found)) = (metadata.next_row_id, columns.next_row_id) {
        metadata.next_row_id = Some(next.max(found));
    }
}

/// The snapshot that added the newest of the files whose snapshots are known.
fn newest_snapshot(kept: &Kept) -> Option<i64> {
    let files = kept.iter().flat_map(|(_, files)| files);
    let known = files.filter_map(|file| Some((file.sequence_number, file.snapshot_id?)));
    known.max().map(|(_, snapshot_id)| snapshot_id)
}

/// Leaves out vectors whose data files are not live.
fn without_dangling(reader: &Reader, mut kept: Kept, added: &Receipt, unproven: &mut Vec<LeftFile>) -> Kept {
    let live: HashSet<Place> = kept
        .iter()
        .flat_map(|(_, files)| files)
        .filter(|file| file.is_data())
        .map(|file| file.place.clone())
        .chain(added.locations().map(|location| reader.place(location)))
        .collect();
    for (entries, files) in &mut kept {
        let rows: Vec<usize> = (0..entries.is_kept.len()).filter(|row| entries.is_kept[*row]).collect();
        let mut stays = Vec::new();
        for (row, file) in rows.into_iter().zip(std::mem::take(files)) {
            let referenced = file.referenced.as_ref().filter(|_| file.is_vector);
            if referenced.is_some_and(|place| !live.contains(place)) {
                entries.is_kept[row] = false;
                unproven.push(file.left("its data file is not live: it is left out"));
            } else {
                stays.push(file);
            }
        }
        *files = stays;
    }
    kept
}

/// Errors: `InvalidInput` for two vectors of one data file: no reader knows which one counts.
fn check_vectors(kept: &Kept) -> Result<()> {
    let mut seen = HashMap::new();
    for file in kept.iter().flat_map(|(_, files)| files).filter(|file| file.is_vector) {
        let Some(referenced) = &file.referenced else { continue };
        if let Some(other) = seen.insert(referenced, &file.path) {
            let message = format!(
                "two deletion vectors are of one data file, one in {other} and one in {}: name the newer one alone in files=",
                file.path
            );
            return Err(Error::invalid_input(message).with("data_file", &referenced.path));
        }
    }
    Ok(())
}

/// The metadata of the new table, before its first snapshot.
fn new_table(mut metadata: TableMetadata, target: &str, counters: Counters) -> TableMetadata {
    metadata.table_uuid = Some(random_uuid());
    without_end_slashes(target).clone_into(&mut metadata.location);
    metadata.last_sequence_number = counters.sequence_number.saturating_sub(1);
    metadata.next_row_id = counters.next_row_id;
    metadata.current_snapshot_id = None;
    metadata.snapshots.clear();
    metadata.snapshot_log.clear();
    metadata.metadata_log.clear();
    metadata.refs.clear();
    metadata.statistics.clear();
    metadata.partition_statistics.clear();
    let properties: BTreeMap<String, String> = std::mem::take(&mut metadata.properties);
    metadata.properties =
        properties.into_iter().filter(|(name, _)| !LEFT_OUT.contains(&name.as_str())).collect();
    metadata.properties.insert("gc.enabled".to_owned(), "false".to_owned());
    metadata
}
