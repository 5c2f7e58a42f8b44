//! How do manifests become what a check wants them to be?
//!
//! In: files as manifests should describe them, manifests to write again, and what is given up. Out: a snapshot.
//! Spec: Manifests; Manifest Entry Fields; Snapshots (`replace`, `delete`, `overwrite`); Sequence Number Inheritance.
//!
//! ```text
//! manifests of the base -> those that list what is mended -> EXISTING entries, DELETED ones for what is given up -> new manifests
//!     -> read again and compared: the same files, partitions, sequence numbers and row ids
//! ```
//!
//! Invariant: a live file that is not given up is live in the new snapshot, once for each time that it was, with the partition, the
//! sequence numbers and the row ids that it had: the new manifests are read again to prove it. Rows of files that a scan would read in
//! another way are read both ways: they are the same, unless that was asked for. A deletion vector goes with its data file only where its
//! Puffin file names that file too. Totals are counted anew. Whoever gave up what another
//! commit removed meanwhile gets a conflict.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use arrow_array::{Array as _, Int64Array};
use floeberg_core::{Context as _, Error, ErrorKind, Result};
use floeberg_exec::threads::ordered;
use floeberg_iceberg::manifest::{
    DataFile, EntryRequest, EntryStatus, FileContent, ManifestContent, ManifestEntries, ManifestEntry,
    ManifestFile,
};
use floeberg_io::location::canonical;
use floeberg_properties::MANIFEST_TARGET_SIZE;

use crate::Repair;
use crate::produce::{
    ActionContext, LiveFiles, Produced, RollingManifests, base_manifests, has_live_files, repaired_snapshot,
};
use crate::row_level::{row_proof, why_vector_stays};
use crate::state::{Counted, RowProof, Step, Summary};

/// A file of a manifest: its path, and the offset of a deletion vector.
type Name = (String, Option<i64>);

/// Mends manifests. Where nothing is to be done there, only the metadata changes.
///
/// Errors: `CommitConflict` where a file or a manifest that is given up is not there any more; `Internal` where the new manifests list
/// other files; those of reading and writing manifests.
pub(super) fn repair(context: &ActionContext<'_>, repair: &Repair) -> Result<Produced> {
    let metadata = repair.metadata.clone();
    if !repair.changes_files() {
        return Ok(Produced { repair: metadata, ..Produced::default() });
    }
    context.progress.begin(Step::Planning, 0);
    let described: HashMap<Name, &DataFile> =
        repair.described.files().iter().map(|written| (name_of(&written.file), &written.file)).collect();
    let described = with_placeless(described);
    let given_up: HashSet<&str> = repair.given_up_files.iter().map(|path| canonical(path)).collect();
    let base = base_manifests(context)?;
    check_there(&base, &repair.given_up_manifests)?;
    let left: Vec<&ManifestFile> =
        base.iter().filter(|manifest| !repair.given_up_manifests.contains(&manifest.manifest_path)).collect();
    let reader = context.reader;
    let loses_vectors = repair.without_dangling_vectors || repair.gives_up();
    let found = ordered(&left, reader.threads, &reader.cancel, |manifest| {
        let entries = context.entries(manifest, &EntryRequest::default());
        survey(&entries.context("manifest", &manifest.manifest_path)?, &described, &given_up, loses_vectors)
    })?;
    let dangling = if loses_vectors { dangling(context, &found)? } else { HashSet::new() };
    let (mut kept, mut again) = (Vec::new(), Vec::new());
    for (manifest, found) in left.iter().zip(&found) {
        // What a list calls empty is read by no scan, and stays so.
        let is_again = found.is_concerned
            || repair.manifests.contains(&manifest.manifest_path)
            || found.vectors.iter().any(|vector| dangling.contains(&vector.name));
        if is_again && has_live_files(manifest) {
            again.push((*manifest).clone());
        } else if found.is_live {
            kept.push((*manifest).clone());
        }
    }
    context.progress.begin(Step::Committing, 0);
    let mut writing = Writing {
        context,
        described,
        given_up,
        dangling,
        summary: Summary::default(),
        gone: [0; 2],
        found: HashSet::new(),
    };
    let new = writing.write(&again)?;
    if let Some(path) = writing.given_up.iter().find(|path| !writing.found.contains(**path)) {
        return Err(conflict("a file that is given up").with("path", path));
    }
    let Writing { mut summary, gone, given_up, .. } = writing;
    let gives_up_deletes =
        gone[1] > 0 || base.iter().any(|manifest| is_given_up(manifest, repair, ManifestContent::Deletes));
    let gives_up_data =
        gone[0] > 0 || base.iter().any(|manifest| is_given_up(manifest, repair, ManifestContent::Data));
    let proof = proof(context, &left, &kept, &again, &new, &given_up)?;
    if !repair.allows_changed_rows {
        proof.check()?;
    }
    let operation = match (gives_up_data, gives_up_deletes || proof.is_changed()) {
        (false, false) => "replace",
        (true, false) => "delete",
        (_, true) => "overwrite",
    };
    count_live(context, kept.iter().chain(&new), &mut summary)?;
    let replaced = again.len() + repair.given_up_manifests.len();
    let produced = repaired_snapshot(context, operation, new, kept, replaced, summary)?;
    Ok(Produced { repair: metadata, row_proof: Some(proof), ..produced })
}

/// The rows before and after. Where no delete manifest is written again, only files of the data manifests are compared that are.
fn proof(
    context: &ActionContext<'_>,
    left: &[&ManifestFile],
    kept: &[ManifestFile],
    again: &[ManifestFile],
    new: &[ManifestFile],
    given_up: &HashSet<&str>,
) -> Result<RowProof> {
    let is_deletes = |manifest: &&ManifestFile| manifest.content == ManifestContent::Deletes;
    let has_same_deletes = !again.iter().any(|manifest| is_deletes(&manifest));
    let changed: HashSet<&str> = again.iter().map(|manifest| manifest.manifest_path.as_str()).collect();
    let compared = |manifest: &&ManifestFile| {
        !has_same_deletes || is_deletes(manifest) || changed.contains(manifest.manifest_path.as_str())
    };
    let before = left.iter().copied().filter(compared).cloned().collect();
    let after = kept.iter().filter(compared).chain(new).cloned().collect();
    row_proof(context, before, after, given_up)
}

fn is_given_up(manifest: &ManifestFile, repair: &Repair, content: ManifestContent) -> bool {
    manifest.content == content && repair.given_up_manifests.contains(&manifest.manifest_path)
}

fn check_there(base: &[ManifestFile], given_up: &BTreeSet<String>) -> Result<()> {
    let there: HashSet<&str> = base.iter().map(|manifest| manifest.manifest_path.as_str()).collect();
    match given_up.iter().find(|path| !there.contains(path.as_str())) {
        None => Ok(()),
        Some(path) => Err(conflict("a manifest that is given up").with("path", path)),
    }
}

fn conflict(what: &str) -> Error {
    let message = format!("{what} is not in the table any more: check the table again");
    Error::new(ErrorKind::CommitConflict, message)
}

/// The name of a file.
pub(super) fn name_of(file: &DataFile) -> Name {
    let offset = file.content_offset.filter(|_| file.is_vector());
    (canonical(&file.file_path).to_owned(), offset)
}

/// The same, where a vector whose entry has no offset is found too: by its path, if only one of the file is described.
fn with_placeless(mut described: HashMap<Name, &DataFile>) -> HashMap<Name, &DataFile> {
    let mut vectors: HashMap<String, Vec<&DataFile>> = HashMap::new();
    for ((path, offset), file) in &described {
        if offset.is_some() {
            vectors.entry(path.clone()).or_default().push(file);
        }
    }
    for (path, files) in vectors {
        if let [file] = files[..] {
            described.insert((path, None), file);
        }
    }
    described
}

/// The name of the file of an entry.
pub(super) fn name_in(entries: &ManifestEntries, row: usize) -> Result<Name> {
    let details = entries.details()?;
    let is_vector = is_vector(entries, row);
    let offset =
        (is_vector && details.content_offset.is_valid(row)).then(|| details.content_offset.value(row));
    Ok((canonical(entries.file_path.value(row)).to_owned(), offset))
}

fn is_vector(entries: &ManifestEntries, row: usize) -> bool {
    entries.file_content.value(row) == FileContent::PositionDeletes as i32
        && entries.file_format.value(row).eq_ignore_ascii_case("puffin")
}

/// What a manifest lists.
#[derive(Default)]
struct Survey {
    /// Does it list any live file?
    is_live: bool,
    /// Does it list a file that is mended, or given up?
    is_concerned: bool,
    /// Its deletion vectors.
    vectors: Vec<Vector>,
    /// Its data files that stay, where vectors may lose theirs.
    data: HashSet<String>,
}

/// A deletion vector.
struct Vector {
    name: Name,
    /// Its Puffin file.
    location: String,
    /// Its offset and length there.
    place: (Option<i64>, Option<i64>),
    /// The data file that its entry names.
    of: String,
}

fn survey(
    entries: &ManifestEntries,
    described: &HashMap<Name, &DataFile>,
    given_up: &HashSet<&str>,
    loses_vectors: bool,
) -> Result<Survey> {
    let mut survey = Survey { is_live: !entries.is_empty(), ..Survey::default() };
    let details = entries.details()?;
    let references = &details.referenced_data_file;
    let number = |numbers: &Int64Array, row| numbers.is_valid(row).then(|| numbers.value(row));
    for row in 0..entries.len() {
        let name = name_in(entries, row)?;
        let is_gone = given_up.contains(name.0.as_str());
        survey.is_concerned |= is_gone || described.contains_key(&name);
        if entries.content == ManifestContent::Data {
            if loses_vectors && !is_gone {
                survey.data.insert(name.0);
            }
        } else if loses_vectors && is_vector(entries, row) && references.is_valid(row) {
            survey.vectors.push(Vector {
                name,
                location: entries.file_path.value(row).to_owned(),
                place: (number(&details.content_offset, row), number(&details.content_size_in_bytes, row)),
                of: canonical(references.value(row)).to_owned(),
            });
        }
    }
    Ok(survey)
}

/// The vectors whose data files are not live: those that were so before, and those of files that are given up. A scan gives the same
/// rows with and without them, so that their Puffin files prove here that no entry names a wrong data file.
fn dangling(context: &ActionContext<'_>, found: &[Survey]) -> Result<HashSet<Name>> {
    let live: HashSet<&str> = found.iter().flat_map(|survey| &survey.data).map(String::as_str).collect();
    let vectors = found.iter().flat_map(|survey| &survey.vectors);
    let dangling: Vec<&Vector> = vectors.filter(|vector| !live.contains(vector.of.as_str())).collect();
    let reader = context.reader;
    let stays = ordered(&dangling, reader.threads, &reader.cancel, |vector| {
        let location = reader.relocation.apply(&vector.location);
        why_vector_stays(reader.store.as_ref(), &location, vector.place, &vector.of)
    })?;
    let goes = dangling.into_iter().zip(stays).filter(|(_, why)| why.is_none());
    Ok(goes.map(|(vector, _)| vector.name.clone()).collect())
}

/// Manifests that are written again.
struct Writing<'a> {
    context: &'a ActionContext<'a>,
    described: HashMap<Name, &'a DataFile>,
    given_up: HashSet<&'a str>,
    dangling: HashSet<Name>,
    summary: Summary,
    /// How many data files, and how many delete files, are given up.
    gone: [u64; 2],
    /// The files that are given up and were found.
    found: HashSet<String>,
}

impl Writing<'_> {
    /// Writes manifests again, and proves that they list the same files.
    fn write(&mut self, again: &[ManifestFile]) -> Result<Vec<ManifestFile>> {
        let context = self.context;
        let target = MANIFEST_TARGET_SIZE.of(&context.metadata.properties)?.max(1);
        let mut groups: BTreeMap<(bool, i32), Vec<&ManifestFile>> = BTreeMap::new();
        for manifest in again {
            let is_deletes = manifest.content == ManifestContent::Deletes;
            groups.entry((is_deletes, manifest.partition_spec_id)).or_default().push(manifest);
        }
        let (snapshot_id, sequence_number) = (context.snapshot_id(), context.sequence_number()?);
        let wanted = EntryRequest { with_metrics: true, ..EntryRequest::default() };
        let mut new = Vec::new();
        for ((is_deletes, spec_id), manifests) in groups {
            let content = if is_deletes { ManifestContent::Deletes } else { ManifestContent::Data };
            let partition_type = context.spec(spec_id)?.partition_type(&context.metadata)?;
            let mut rolling = RollingManifests::new(context, spec_id, content, Some(target))?;
            let mut before = LiveFiles::default();
            for manifest in manifests {
                let entries =
                    context.entries(manifest, &wanted).context("manifest", &manifest.manifest_path)?;
                rolling.go_on_with_unknown(entries.unknown_fields())?;
                for row in 0..entries.len() {
                    let entry = settled(entries.entry(row, &partition_type)?, manifest);
                    let name = name_in(&entries, row)?;
                    if self.goes(spec_id, &name, &entry) {
                        rolling.add(&entry.into_deleted(snapshot_id))?;
                        continue;
                    }
                    let mended = self.mended(&name, entry.clone());
                    before.add(spec_id, &name_of(&mended.data_file), &entry);
                    rolling.add(&mended.into_existing())?;
                }
            }
            let written: Vec<ManifestFile> =
                rolling.finish()?.iter().map(|written| written.in_commit(sequence_number)).collect();
            let mut after = LiveFiles::default();
            for manifest in &written {
                let entries = context.entries(manifest, &wanted)?;
                for row in 0..entries.len() {
                    let entry = entries.entry(row, &partition_type)?;
                    after.add(spec_id, &name_in(&entries, row)?, &entry);
                }
            }
            if before != after {
                let message =
                    "a repair would change which files are live, their sequence numbers or their row ids";
                return Err(Error::internal(message));
            }
            new.extend(written);
        }
        Ok(new)
    }

    /// Is a file given up, or a vector without a data file? Then it is counted.
    fn goes(&mut self, spec_id: i32, name: &Name, entry: &ManifestEntry) -> bool {
        let is_given_up = self.given_up.contains(name.0.as_str());
        if !is_given_up && !self.dangling.contains(name) {
            return false;
        }
        if is_given_up {
            self.gone[usize::from(entry.data_file.content != FileContent::Data)] += 1;
            self.found.insert(name.0.clone());
        }
        self.summary.remove(&Counted::of(spec_id, &entry.data_file));
        true
    }

    /// An entry as it should be. Where its file is, its partition, its sequence numbers and its row ids stay.
    fn mended(&self, name: &Name, entry: ManifestEntry) -> ManifestEntry {
        let Some(described) = self.described.get(name) else { return entry };
        let old = entry.data_file;
        let data_file = DataFile {
            content: old.content,
            file_path: old.file_path,
            file_format: old.file_format,
            partition: old.partition,
            key_metadata: old.key_metadata,
            first_row_id: old.first_row_id,
            ..(*described).clone()
        };
        ManifestEntry { data_file, ..entry }
    }
}

/// An entry without what its status forbids: a file that a manifest added is of the snapshot that added the manifest, and has its
/// sequence number; and delete files have no row ids.
pub(super) fn settled(mut entry: ManifestEntry, manifest: &ManifestFile) -> ManifestEntry {
    if entry.status == EntryStatus::Added {
        entry.snapshot_id = manifest.added_snapshot_id.or(entry.snapshot_id);
        if manifest.sequence_number > 0 {
            entry.file_sequence_number = Some(manifest.sequence_number);
        }
    }
    if manifest.content == ManifestContent::Deletes {
        entry.data_file.first_row_id = None;
    }
    entry
}

/// Counts the live files of the new snapshot.
pub(super) fn count_live<'a>(
    context: &ActionContext<'_>,
    manifests: impl Iterator<Item = &'a ManifestFile>,
    summary: &mut Summary,
) -> Result<()> {
    let manifests: Vec<&ManifestFile> = manifests.collect();
    let reader = context.reader;
    let counted = ordered(&manifests, reader.threads, &reader.cancel, |manifest| {
        let entries = context.entries(manifest, &EntryRequest::default());
        let entries = entries.context("manifest", &manifest.manifest_path)?;
        let mut live = Summary::default();
        live.count_live(&entries)?;
        Ok(live)
    })?;
    summary.begin_live();
    for live in &counted {
        summary.add_live(live);
    }
    Ok(())
}
