//! How are the changes of another snapshot applied to a branch?
//!
//! In: a snapshot that the branch does not have: of another branch, or staged. Out: the branch moved to it, or a new snapshot of
//! the same changes.
//! Spec: Appendix F, Optional Snapshot Summary Fields (`source-snapshot-id`, `published-wap-id`).
//!
//! Invariant: as in Iceberg Java, appends and dynamic overwrites are applied again. Any other snapshot only becomes the newest
//! one of the branch, which its parent must be. Nothing is applied twice.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex};

use arrow_array::Array as _;
use floeberg_core::{Context, Error, ErrorKind, Result};
use floeberg_iceberg::manifest::{ADDED, DELETED, EntryRequest, ManifestContent};
use floeberg_iceberg::metadata::{Snapshot, TableMetadata};
use floeberg_iceberg::write::WrittenFile;

use crate::Update;
use crate::conflicts::{Validation, validate_added_data_files};
use crate::produce::{
    ActionContext, FileChange, FilesByPath, Produced, Removal, change_files, check_moved_branch,
    manifests_of, partition_key, purpose_of,
};
use crate::refs::{SOURCE_SNAPSHOT_ID, published_work};

/// In a summary: the id of staged work.
const WAP_ID: &str = "wap.id";
/// In a summary: the id of staged work that is published.
const PUBLISHED_WAP_ID: &str = "published-wap-id";

/// Applies the changes of a snapshot.
///
/// Errors: `NotFound` for an unknown snapshot; `InvalidInput` for one that the branch has, whose work was published already, or that
/// can only follow its own parent; `CommitConflict` for a dynamic overwrite of partitions that have new files since.
pub(super) fn cherrypick(
    context: &ActionContext<'_>,
    validation: Validation<'_>,
    snapshot_id: i64,
) -> Result<Produced> {
    let picked = Arc::clone(context.metadata.snapshot(snapshot_id)?);
    let parent = context.parent()?;
    let parent_id = parent.as_ref().map(|parent| parent.snapshot_id);
    check_not_applied(context, &picked, parent_id)?;
    if picked.parent_snapshot_id == parent_id {
        check_moved_branch(context, context.branch, parent_id, snapshot_id)?;
        let moved = Update::SetSnapshotRef(context.branch.to_owned(), context.branch_at(snapshot_id));
        return Ok(Produced::of(vec![moved]));
    }
    let replaces = picked.summary.get("replace-partitions").is_some_and(|value| value == "true");
    let operation = match picked.operation.as_deref() {
        Some("append") => "append",
        Some("overwrite") if replaces => "overwrite",
        operation => {
            return Err(Error::invalid_input(format!(
                "snapshot {snapshot_id} ({}) cannot be applied to the branch {:?}: only appends and dynamic overwrites can be \
                 applied again, and other snapshots only where their parent is the newest of the branch",
                operation.unwrap_or("of an unknown operation"),
                context.branch
            ))
            .with("snapshot", snapshot_id));
        }
    };
    let mut properties: BTreeMap<String, String> = context.properties.clone();
    properties.insert(SOURCE_SNAPSHOT_ID.to_owned(), snapshot_id.to_string());
    properties.extend(published_work(&context.metadata, &picked));
    if let Some(id) = wap_id(&picked) {
        properties.insert(PUBLISHED_WAP_ID.to_owned(), id.clone());
    }
    let context = &ActionContext {
        metadata: Arc::clone(&context.metadata),
        specs: context.specs.clone(),
        base_manifests: Mutex::new(None),
        // Whoever wrote the files: they must be there, and not in the branch yet.
        files_are_new: false,
        // Where nothing is applied, it says that it was.
        leaves_record: true,
        properties: &properties,
        ..*context
    };
    let [added, removed] = files_of(context, &picked)?;
    let mut removal = None;
    if operation == "overwrite" {
        check_spec(context, &added)?;
        let partitions: HashSet<_> =
            added.iter().map(|written| partition_key(written.spec_id, &written.file.partition)).collect();
        let replaced = Removal::Partitions(context.specs()?, partitions);
        validate_added_data_files(context, validation, &[picked.parent_snapshot_id], &replaced, None)?;
        removal = (!removed.is_empty()).then(|| Removal::Files(FilesByPath::new(&removed)));
    }
    let change = FileChange {
        replaces_partitions: operation == "overwrite",
        ..FileChange::new(operation, &added, removal.as_ref())
    };
    change_files(context, change).context("cherry-picked snapshot", snapshot_id)
}

/// Errors: `InvalidInput` for a snapshot that the branch has, itself or applied, and for staged work that it has.
fn check_not_applied(context: &ActionContext<'_>, picked: &Snapshot, parent_id: Option<i64>) -> Result<()> {
    let ancestors = parent_id.map(|id| context.metadata.ancestors_of(id)).unwrap_or_default();
    let wap_id = wap_id(picked);
    let origin = origin(&context.metadata, picked.snapshot_id);
    let refused = |why: String| {
        let error = Error::new(ErrorKind::AlreadyExists, why).with("branch", context.branch);
        Err(error.with("snapshot", picked.snapshot_id))
    };
    for ancestor in ancestors {
        let says = |name: &str| ancestor.summary.get(name);
        if ancestor.snapshot_id == picked.snapshot_id {
            return refused(format!("the branch has snapshot {} already", picked.snapshot_id));
        }
        let repeats = says(SOURCE_SNAPSHOT_ID).map(|_| self::origin(&context.metadata, ancestor.snapshot_id));
        if repeats.unwrap_or(ancestor.snapshot_id) == origin {
            return refused(format!(
                "snapshot {} was applied to the branch already, as snapshot {}",
                picked.snapshot_id, ancestor.snapshot_id
            ));
        }
        if wap_id.is_some_and(|id| says(WAP_ID) == Some(id) || says(PUBLISHED_WAP_ID) == Some(id)) {
            return refused(format!(
                "the work with the wap.id {:?} was published already, as snapshot {}",
                wap_id.map_or("", String::as_str),
                ancestor.snapshot_id
            ));
        }
    }
    Ok(())
}

/// The id of the work of a snapshot, staged or published.
fn wap_id(snapshot: &Snapshot) -> Option<&String> {
    let says = |name| snapshot.summary.get(name).filter(|id: &&String| !id.is_empty());
    says(WAP_ID).or_else(|| says(PUBLISHED_WAP_ID))
}

/// The snapshot whose changes a snapshot repeats, also through others that repeat them; else itself.
fn origin(metadata: &TableMetadata, snapshot_id: i64) -> i64 {
    let mut seen = HashSet::from([snapshot_id]);
    let mut origin = snapshot_id;
    while let Ok(snapshot) = metadata.snapshot(origin) {
        let source = snapshot.summary.get(SOURCE_SNAPSHOT_ID).and_then(|id| id.parse().ok());
        match source {
            Some(source) if seen.insert(source) => origin = source,
            _ => break,
        }
    }
    origin
}

/// Errors: `CommitConflict` if the partition spec is another one by now: rows of the replaced partitions may be in others.
fn check_spec(context: &ActionContext<'_>, added: &[WrittenFile]) -> Result<()> {
    let now = context.metadata.default_spec_id;
    match added.iter().find(|written| written.spec_id != now) {
        None => Ok(()),
        Some(written) => Err(Error::new(
            ErrorKind::CommitConflict,
            format!(
                "the partition spec was changed since: the files to add are of spec {}, and the table's is {now}. Write the \
                 rows again",
                written.spec_id
            ),
        )),
    }
}

/// The data files that a snapshot added, and those that it removed.
///
/// Errors: `InvalidInput` for a snapshot that adds delete files.
fn files_of(context: &ActionContext<'_>, picked: &Snapshot) -> Result<[Vec<WrittenFile>; 2]> {
    let (mut added, mut removed) = (Vec::new(), Vec::new());
    let wanted = EntryRequest { with_deleted: true, with_metrics: true, ..EntryRequest::default() };
    for manifest in manifests_of(context, picked)? {
        if manifest.added_snapshot_id != Some(picked.snapshot_id) {
            continue;
        }
        let entries = context.entries(&manifest, &wanted).context("manifest", &manifest.manifest_path)?;
        let partition_type = &context.specs()?.get(manifest.partition_spec_id)?.partition_type.clone();
        let purpose = purpose_of(&context.metadata, picked.snapshot_id, manifest.partition_spec_id)?;
        let snapshot_ids = &entries.details()?.snapshot_id;
        for (row, status) in entries.status.values().iter().enumerate() {
            let is_own = snapshot_ids.is_valid(row) && snapshot_ids.value(row) == picked.snapshot_id;
            let is_delete = manifest.content == ManifestContent::Deletes;
            let changed = match *status {
                ADDED if is_own => &mut added,
                // Those of removed data files go with them here, too.
                DELETED if is_own && !is_delete => &mut removed,
                _ => continue,
            };
            if is_delete {
                return Err(Error::invalid_input(format!(
                    "snapshot {} cannot be applied again: it adds delete files",
                    picked.snapshot_id
                )));
            }
            let mut file = entries.entry(row, partition_type)?.data_file;
            // Rows of the new snapshot get row ids of their own.
            file.first_row_id = None;
            changed.push(WrittenFile { spec_id: manifest.partition_spec_id, file, purpose: purpose.clone() });
        }
    }
    Ok([added, removed])
}
