//! Which snapshot does the new table stand on?
//!
//! In: the newest metadata, and the manifest lists that are there. Out: the newest snapshot that can be read whole, with its files.
//! Spec: Snapshots; Manifest Lists; Sequence Numbers.
//!
//! ```text
//! metadata:         current snapshot -> its parent -> ...       the first that is whole
//! manifest lists:   highest sequence number (v1: the one tip) -> its parent -> ...
//! ```
//!
//! Invariant: only the current snapshot and those before it count. Where lists do not say which one is current, it is an error.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use floeberg_core::finding::split;
use floeberg_core::{Context as _, Error, Result};
use floeberg_exec::budget::thread_budget;
use floeberg_iceberg::manifest::{ManifestCache, ManifestContent, ManifestFile, ManifestReader};
use floeberg_iceberg::metadata::{Snapshot, SnapshotManifests, TableMetadata};
use floeberg_io::Relocation;

use super::avro_files::{AvroFiles, FoundList, HeaderColumns, rows_of};
use super::columns::with_headers;
use super::metadata_files::MetadataFile;
use super::read_whole::{ReadManifest, read_all};
use super::request::{PassedOver, Reader};
use crate::place::Place;

/// What the new table stands on.
#[derive(Debug)]
pub(super) struct Base {
    pub(super) source: &'static str,
    pub(super) source_files: Vec<String>,
    pub(super) snapshot_id: Option<i64>,
    /// The columns, specs and counters of the table.
    pub(super) metadata: TableMetadata,
    pub(super) manifests: Vec<ReadManifest>,
    /// Manifests of snapshots that are not newer: what they alone list is not live.
    pub(super) known: HashSet<Place>,
    /// The snapshot before it, as its manifest list says.
    pub(super) parent_snapshot_id: Option<i64>,
    /// Is it the current snapshot of the newest metadata?
    pub(super) is_current: bool,
}

/// The base; `None` where neither metadata nor manifest lists are there, or none of them is whole.
///
/// Errors: `NotFound` for a snapshot that is nowhere; `InvalidData` for one that is not whole; `InvalidInput` where several lists may be
/// the current one; those of the store.
pub(super) fn find_base(
    reader: &Reader,
    newest: Option<&MetadataFile>,
    avro: &AvroFiles,
    snapshot_id: Option<i64>,
    passed_over: &mut Vec<PassedOver>,
) -> Result<Option<Base>> {
    let of_metadata = newest.filter(|found| match snapshot_id {
        Some(id) => found.metadata.snapshot(id).is_ok(),
        None => true,
    });
    let first = passed_over.len();
    let base = match of_metadata {
        Some(found) => by_metadata(reader, found, snapshot_id, passed_over)?,
        None => by_lists(reader, newest, avro, snapshot_id, passed_over)?,
    };
    match (base, snapshot_id) {
        (None, Some(id)) => {
            let reason =
                passed_over.get(first).map_or("no metadata and no manifest list has it", |over| &over.reason);
            Err(Error::invalid_data(format!("snapshot {id} cannot be read whole: {reason}"))
                .with("snapshot", id))
        }
        (base, _) => Ok(base),
    }
}

fn by_metadata(
    reader: &Reader,
    found: &MetadataFile,
    snapshot_id: Option<i64>,
    passed_over: &mut Vec<PassedOver>,
) -> Result<Option<Base>> {
    let metadata = found.metadata.as_ref();
    let base = |snapshot: Option<&Snapshot>, manifests, known, is_current| {
        let mut source_files = vec![found.location.clone()];
        if let Some(SnapshotManifests::List(list)) = snapshot.map(|snapshot| &snapshot.manifests) {
            source_files.push(list.clone());
        }
        Base {
            source: "metadata",
            source_files,
            snapshot_id: snapshot.map(|snapshot| snapshot.snapshot_id),
            metadata: metadata.clone(),
            parent_snapshot_id: snapshot.and_then(|snapshot| snapshot.parent_snapshot_id),
            manifests,
            known,
            is_current,
        }
    };
    let wanted = match (snapshot_id, metadata.current_snapshot_id) {
        (Some(id), _) => vec![Arc::clone(metadata.snapshot(id)?)],
        (None, None) => {
            return Ok(Some(base(None, Vec::new(), manifests_known(reader, metadata, &[])?, true)));
        }
        (None, Some(id)) => metadata.ancestors_of(id),
    };
    let manifest_reader = ManifestReader {
        store: Arc::clone(&reader.store),
        relocation: Arc::new(Relocation::default()),
        cache: Arc::new(ManifestCache::new(0)),
        threads: thread_budget()?,
        cancel: reader.cancel.clone(),
        is_planned_by_server: false,
    };
    for snapshot in &wanted {
        let manifests = match split(manifest_reader.manifests(snapshot))? {
            Ok(manifests) => manifests,
            Err(error) => {
                let location = match &snapshot.manifests {
                    SnapshotManifests::List(list) => list.clone(),
                    SnapshotManifests::Inline(_) => found.location.clone(),
                };
                add(passed_over, PassedOver { location, reason: error.to_string() });
                continue;
            }
        };
        match read_all(reader, metadata, &manifests)? {
            Err(reason) => add(passed_over, reason),
            Ok(manifests) => {
                let newer: Vec<i64> = metadata
                    .snapshots
                    .iter()
                    .map(|each| each.snapshot_id)
                    .filter(|id| {
                        *id != snapshot.snapshot_id && metadata.is_ancestor(snapshot.snapshot_id, *id)
                    })
                    .collect();
                let is_current = metadata.current_snapshot_id == Some(snapshot.snapshot_id);
                let known = manifests_known(reader, metadata, &newer)?;
                return Ok(Some(base(Some(snapshot), manifests, known, is_current)));
            }
        }
    }
    Ok(None)
}

/// The manifests of the snapshots of metadata, but for some. Lists that cannot be read are passed over.
fn manifests_known(reader: &Reader, metadata: &TableMetadata, without: &[i64]) -> Result<HashSet<Place>> {
    let mut known = HashSet::new();
    for snapshot in metadata.snapshots.iter().filter(|each| !without.contains(&each.snapshot_id)) {
        reader.cancel.check()?;
        match &snapshot.manifests {
            SnapshotManifests::Inline(paths) => {
                known.extend(paths.iter().map(|path| reader.place(path)));
            }
            SnapshotManifests::List(list) => {
                let rows = rows_of(reader, list)?.unwrap_or_default();
                known.extend(rows.iter().map(|row| reader.place(&row.manifest_path)));
            }
        }
    }
    Ok(known)
}

fn by_lists(
    reader: &Reader,
    newest: Option<&MetadataFile>,
    avro: &AvroFiles,
    snapshot_id: Option<i64>,
    passed_over: &mut Vec<PassedOver>,
) -> Result<Option<Base>> {
    if let Some(id) = snapshot_id {
        let of_id: Vec<&FoundList> = avro.lists.iter().filter(|list| list.header.snapshot_id == id).collect();
        if let [first, second, ..] = of_id[..] {
            let message = format!(
                "two manifest lists are of snapshot {id}, {} and {}: move the one that was not committed elsewhere, or give files=",
                first.location, second.location
            );
            return Err(Error::invalid_input(message));
        }
        return by_chain(reader, newest, avro, &of_id, passed_over);
    }
    let mut left: Vec<&FoundList> = avro.lists.iter().collect();
    while !left.is_empty() {
        let chain = newest_first(&left)?;
        if let Some(base) = by_chain(reader, newest, avro, &chain, passed_over)? {
            return Ok(Some(base));
        }
        // None of it can be read whole, and its oldest list names no parent that is there.
        let tried: HashSet<&str> = chain.iter().map(|list| list.location.as_str()).collect();
        left.retain(|list| !tried.contains(list.location.as_str()));
    }
    Ok(None)
}

/// The first list that can be read whole.
fn by_chain(
    reader: &Reader,
    newest: Option<&MetadataFile>,
    avro: &AvroFiles,
    chain: &[&FoundList],
    passed_over: &mut Vec<PassedOver>,
) -> Result<Option<Base>> {
    for (number, list) in chain.iter().enumerate() {
        let rows = match rows_of(reader, &list.location)? {
            Ok(rows) => rows,
            Err(error) => {
                add(passed_over, PassedOver { location: list.location.clone(), reason: error.to_string() });
                continue;
            }
        };
        let metadata = match split(columns_of(reader, newest, avro, list, &rows))? {
            Ok(metadata) => metadata,
            Err(error) => {
                add(passed_over, PassedOver { location: list.location.clone(), reason: error.to_string() });
                continue;
            }
        };
        match read_all(reader, &metadata, &rows)? {
            Err(reason) => {
                let why = format!("its manifest {} cannot be read", reason.location);
                add(passed_over, reason);
                add(passed_over, PassedOver { location: list.location.clone(), reason: why });
            }
            Ok(manifests) => {
                let mut known = match newest {
                    Some(found) => manifests_known(reader, &found.metadata, &[])?,
                    None => HashSet::new(),
                };
                for older in &chain[number..] {
                    let rows = rows_of(reader, &older.location)?.unwrap_or_default();
                    known.extend(rows.iter().map(|row| reader.place(&row.manifest_path)));
                }
                return Ok(Some(Base {
                    source: "manifest-list",
                    source_files: vec![list.location.clone()],
                    snapshot_id: Some(list.header.snapshot_id),
                    metadata,
                    parent_snapshot_id: list.header.parent_snapshot_id,
                    manifests,
                    known,
                    is_current: false,
                }));
            }
        }
    }
    Ok(None)
}

/// The current list and those before it, as far as they are there.
///
/// Errors: `InvalidInput` where another list may be the current one.
fn newest_first<'a>(lists: &[&'a FoundList]) -> Result<Vec<&'a FoundList>> {
    let is_numbered = lists.iter().all(|list| list.header.sequence_number.is_some_and(|number| number > 0));
    let tops: Vec<&'a FoundList> = if is_numbered {
        let highest = lists.iter().filter_map(|list| list.header.sequence_number).max();
        lists.iter().copied().filter(|list| list.header.sequence_number == highest).collect()
    } else {
        let parents: HashSet<i64> = lists.iter().filter_map(|list| list.header.parent_snapshot_id).collect();
        lists.iter().copied().filter(|list| !parents.contains(&list.header.snapshot_id)).collect()
    };
    let [top] = tops[..] else {
        return match (lists.is_empty(), tops.is_empty()) {
            (true, _) => Ok(Vec::new()),
            (false, true) => Err(several(lists)),
            (false, false) => Err(several(&tops)),
        };
    };
    let mut by_id: HashMap<i64, Vec<&'a FoundList>> = HashMap::new();
    for list in lists {
        by_id.entry(list.header.snapshot_id).or_default().push(list);
    }
    let mut chain = vec![top];
    let mut seen = HashSet::from([top.header.snapshot_id]);
    let mut next = top.header.parent_snapshot_id;
    while let Some(of_id) = next.filter(|id| seen.insert(*id)).and_then(|id| by_id.get(&id)) {
        let [list] = of_id[..] else { return Err(several(of_id)) };
        chain.push(list);
        next = list.header.parent_snapshot_id;
    }
    let oldest = chain.last().and_then(|list| list.header.sequence_number).unwrap_or(0);
    // Of a branch, of a commit that failed, or of one that was rolled back.
    let beside = lists.iter().find(|list| {
        !seen.contains(&list.header.snapshot_id)
            && is_numbered
            && list.header.sequence_number.is_some_and(|number| number > oldest)
    });
    match beside {
        Some(beside) => Err(several(&[top, beside])),
        None => Ok(chain),
    }
}

fn several(lists: &[&FoundList]) -> Error {
    let named: Vec<String> =
        lists.iter().map(|list| format!("{} ({})", list.header.snapshot_id, list.location)).collect();
    Error::invalid_input(format!(
        "several manifest lists may be the current one, since no metadata says it: {}. Choose one by snapshot_id=",
        named.join(", ")
    ))
}

/// The columns of a table by the headers of the manifests of a list, the newest one last.
fn columns_of(
    reader: &Reader,
    newest: Option<&MetadataFile>,
    avro: &AvroFiles,
    list: &FoundList,
    rows: &[ManifestFile],
) -> Result<TableMetadata> {
    let mut ordered: Vec<&ManifestFile> = rows.iter().collect();
    ordered.sort_by_key(|row| {
        let is_own = row.added_snapshot_id == Some(list.header.snapshot_id);
        (row.sequence_number, is_own, row.partition_spec_id)
    });
    let headers: Vec<&HeaderColumns> =
        ordered.iter().filter_map(|row| avro.columns_of(reader, &row.manifest_path)).collect();
    let mut metadata = match newest {
        Some(found) => found.metadata.as_ref().clone(),
        None if headers.is_empty() => {
            return Err(Error::invalid_data(
                "the manifest list has no manifest that says which columns the table has",
            ));
        }
        None => TableMetadata::empty(list.header.format_version)?,
    };
    let of_manifests = rows.iter().map(|row| avro.version_of(reader, &row.manifest_path)).max().unwrap_or(1);
    let version = list.header.format_version.max(of_manifests);
    if version > metadata.format_version {
        metadata.format_version = version;
        metadata.next_row_id = (metadata.format_version >= 3).then(|| metadata.next_row_id.unwrap_or(0));
    }
    let mut metadata = with_headers(metadata, &headers, true).context("path", &list.location)?;
    // New data files are of the default spec, new deletes of that of their data files.
    let newest_data = ordered.iter().rev().find(|row| row.content == ManifestContent::Data);
    if let Some(row) = newest_data.filter(|row| metadata.spec(row.partition_spec_id).is_ok()) {
        metadata.choose_spec(row.partition_spec_id)?;
    }
    Ok(metadata)
}

/// Adds a file that is passed over, once.
pub(super) fn add(passed_over: &mut Vec<PassedOver>, new: PassedOver) {
    if !passed_over.iter().any(|known| known.location == new.location) {
        passed_over.push(new);
    }
}

#[cfg(test)]
mod tests {
    use floeberg_iceberg::manifest::ManifestListHeader;

    use super::*;

    fn list(snapshot_id: i64, parent_snapshot_id: Option<i64>, sequence_number: Option<i64>) -> FoundList {
        let header = ManifestListHeader {
            snapshot_id,
            parent_snapshot_id,
            sequence_number,
            format_version: if sequence_number.is_some() { 2 } else { 1 },
            first_row_id: None,
        };
        FoundList { location: format!("snap-{snapshot_id}.avro"), header }
    }

    fn chain(lists: &[FoundList]) -> std::result::Result<Vec<i64>, String> {
        let lists: Vec<&FoundList> = lists.iter().collect();
        let chain = newest_first(&lists).map_err(|error| error.message().to_owned())?;
        Ok(chain.iter().map(|list| list.header.snapshot_id).collect())
    }

    #[test]
    fn the_highest_sequence_number_is_the_newest_and_its_parents_follow() {
        let lists = [list(1, None, Some(1)), list(3, Some(2), Some(3)), list(2, Some(1), Some(2))];
        assert_eq!(chain(&lists), Ok(vec![3, 2, 1]));
        // A parent whose list is gone ends the chain; lists that are as old may be before it.
        assert_eq!(chain(&[lists[1].clone(), lists[0].clone()]), Ok(vec![3]));
        assert_eq!(chain(&[]), Ok(Vec::new()));
    }

    #[test]
    fn without_sequence_numbers_the_one_list_without_a_child_is_the_newest() {
        let lists = [list(1, None, None), list(3, Some(2), None), list(2, Some(1), None)];
        assert_eq!(chain(&lists), Ok(vec![3, 2, 1]));
        let forked = [list(1, None, None), list(3, Some(1), None), list(2, Some(1), None)];
        assert!(chain(&forked).is_err_and(|message| message.contains("several manifest lists")));
        // Nothing is said of lists that are no one's parents in a circle.
        let circle = [list(1, Some(2), None), list(2, Some(1), None)];
        assert!(chain(&circle).is_err_and(|message| message.contains("several manifest lists")));
    }

    #[test]
    fn a_list_beside_the_newest_is_ambiguous() {
        let branch = [list(1, None, Some(1)), list(2, Some(1), Some(2)), list(3, Some(1), Some(3))];
        assert!(chain(&branch).is_err_and(|message| message.contains("2 (snap-2.avro)")));
        let twice = [list(1, None, Some(1)), list(2, Some(1), Some(1))];
        assert!(chain(&twice).is_err());
    }
}
