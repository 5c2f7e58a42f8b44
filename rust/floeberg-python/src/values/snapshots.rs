//! Which snapshots has a table, as values of Python?
//!
//! In: the model, and the class of summaries, a dict. Out: the arguments of `floeberg.types.Snapshot`, one tuple a snapshot.
//! Spec: Snapshots.

use floeberg_iceberg::metadata::{Snapshot, SnapshotManifests, TableMetadata};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

/// The snapshots in the order of the metadata, or the one with an id.
pub fn snapshots<'py>(
    py: Python<'py>,
    metadata: &TableMetadata,
    summary_class: &Bound<'py, PyAny>,
    snapshot_id: Option<i64>,
) -> PyResult<Bound<'py, PyList>> {
    let mut keys = Keys::default();
    let found = PyList::empty(py);
    for each in &metadata.snapshots {
        if snapshot_id.is_none_or(|id| id == each.snapshot_id) {
            let summary = summary_class.call0()?.cast_into::<PyDict>()?;
            found.append(arguments(py, each, summary, &mut keys)?)?;
        }
    }
    Ok(found)
}

/// The keys of summaries, one object each: most snapshots have the same, in the same order.
#[derive(Default)]
struct Keys<'py> {
    known: Vec<(String, Bound<'py, PyString>)>,
    /// Where the next key is, if the order is that of the summary before.
    next: usize,
}

/// So many keys are kept.
const KEPT_KEYS: usize = 64;

impl<'py> Keys<'py> {
    fn of(&mut self, py: Python<'py>, key: &str) -> Bound<'py, PyString> {
        let is_it = |known: &&(String, _)| known.0 == key;
        let at = match self.known.get(self.next).filter(is_it) {
            Some(_) => Some(self.next),
            None => self.known.iter().position(|known| is_it(&known)),
        };
        if let Some((at, (_, kept))) = at.and_then(|at| Some((at, self.known.get(at)?))) {
            self.next = at + 1;
            return kept.clone();
        }
        let made = PyString::new(py, key);
        if self.known.len() < KEPT_KEYS {
            self.known.push((key.to_owned(), made.clone()));
            self.next = self.known.len();
        }
        made
    }
}

fn arguments<'py>(
    py: Python<'py>,
    snapshot: &Snapshot,
    summary: Bound<'py, PyDict>,
    keys: &mut Keys<'py>,
) -> PyResult<impl IntoPyObject<'py> + use<'py>> {
    if let Some(operation) = &snapshot.operation {
        summary.set_item(keys.of(py, "operation"), operation)?;
    }
    snapshot.summary.visit(|key, value| summary.set_item(keys.of(py, key), value))?;
    let manifest_list = match &snapshot.manifests {
        SnapshotManifests::List(location) => Some(location.clone()),
        SnapshotManifests::Inline(_) => None,
    };
    Ok((
        snapshot.snapshot_id,
        snapshot.parent_snapshot_id,
        snapshot.sequence_number,
        snapshot.timestamp_ms,
        manifest_list,
        summary,
        snapshot.schema_id,
        snapshot.first_row_id,
        snapshot.added_rows,
    ))
}
