//! Which files change rows?
//!
//! In: added files, removed files, and the snapshots that they were made from. Out: their bytes, for other processes, and back.
//! Spec: Snapshots (`overwrite`, `delete`); Row-level Deletes. The name is Iceberg Java's.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use floeberg_core::expr::{Expr, json as expression_json};
use floeberg_core::{Error, Result};
use floeberg_io::location::canonical;
use roaring::RoaringTreemap;

use super::delete_mode::DeleteMode;
use super::isolation::IsolationLevel;
use super::row_command::RowCommand;
use floeberg_iceberg::lookup::{FoundRows, SourceKeys};
use floeberg_iceberg::manifest::FileContent;
use floeberg_iceberg::metadata::json::ObjectWriter;
use floeberg_iceberg::wire::json::{ObjectReader, boolean, list, long, raw, string};
use floeberg_iceberg::write::Receipt;

/// Changes of rows: new data files and delete files, and the files that they replace.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RowDelta {
    /// The data files and delete files to add.
    pub added: Receipt,
    /// The data files and delete files to remove, as the table lists them.
    pub removed: Receipt,
    /// Rows that are deleted: their positions, by the paths of data files. The attempt writes their vectors or position deletes,
    /// with what is deleted of these files by then.
    pub deleted_rows: BTreeMap<String, RoaringTreemap>,
    /// A row that was named twice: its data file and position. Rows that replace it would be there twice.
    pub repeated: Option<(String, u64)>,
    /// Data files to remove, by their paths. Their remaining rows are in added files.
    pub replaced: BTreeSet<String>,
    /// Data files that new deletes are for, besides those that delete files name.
    pub referenced_data_files: Vec<String>,
    /// The snapshot that positions and rows were read from; `None` is a branch without one.
    pub read_snapshot_id: Option<i64>,
    /// The filter of the operation. A matching row that was added after it read is a conflict; `None` skips this
    /// test.
    pub filter: Option<Expr>,
    /// Are column names case-sensitive?
    pub case_sensitive: bool,
    /// The keys of the source of the operation. A row that was added after it read and that has one of them is a conflict.
    pub keys: Option<Arc<SourceKeys>>,
    /// Does the operation insert rows with such keys? Then that is a conflict under every isolation level.
    pub inserts_keys: bool,
    /// The rows that it looked for and read. One that it left as it was, and that others deleted or changed since, is a conflict.
    pub read_rows: Option<Arc<FoundRows>>,
    /// `None` follows the table, by the property of the command.
    pub isolation: Option<IsolationLevel>,
    /// The command that it is of.
    pub command: RowCommand,
    /// How rows are deleted from files that keep other rows. `None` follows the table's property for the command.
    pub mode: Option<DeleteMode>,
}

impl RowDelta {
    /// Was it made of rows that the table had? One that only adds rows and deletes by key stands on none.
    pub fn stands_on_rows(&self) -> bool {
        let names_files = !(self.deleted_rows.is_empty()
            && self.replaced.is_empty()
            && self.removed.files().is_empty()
            && self.referenced_data_files.is_empty());
        names_files || self.read_snapshot_id.is_some() || self.filter.is_some() || self.keys.is_some()
    }

    /// Rows that are deleted: for each data file its path and their positions.
    pub fn of_positions<'p>(files: impl Iterator<Item = (&'p str, RoaringTreemap)>) -> Self {
        let mut delta = Self::default();
        for (path, positions) in files {
            let known = delta.deleted_rows.entry(path.to_owned()).or_default();
            let twice = || (&*known & &positions).min().map(|row| (path.to_owned(), row));
            delta.repeated = delta.repeated.or_else(twice);
            *known |= positions;
        }
        delta
    }

    /// The files and rows of several, with what the first says of the rest.
    ///
    /// Errors: `InvalidInput` for a row that is deleted twice while rows are added: it would be changed twice; those of
    /// [`Receipt::concat`].
    pub fn concat(all: Vec<Self>) -> Result<Self> {
        let mut deleted_rows: BTreeMap<String, RoaringTreemap> = BTreeMap::new();
        // Receipts may spell the path of a file differently.
        let mut spelled: HashMap<String, String> = HashMap::new();
        let mut repeated = all.iter().find_map(|delta| delta.repeated.clone());
        for (path, positions) in all.iter().flat_map(|delta| &delta.deleted_rows) {
            let spelled = spelled.entry(canonical(path).to_owned()).or_insert_with(|| path.clone());
            let known = deleted_rows.entry(spelled.clone()).or_default();
            repeated = repeated.or_else(|| (&*known & positions).min().map(|row| (path.clone(), row)));
            *known |= positions;
        }
        let adds_rows = all.iter().any(|delta| delta.added.rows() > 0);
        if let Some((path, row)) = repeated.as_ref().filter(|_| adds_rows) {
            let message = "a row is deleted twice by an operation that adds rows: it would be changed twice";
            return Err(Error::invalid_input(message).with("file_path", path).with("position", row));
        }
        let replaced = all.iter().flat_map(|delta| &delta.replaced).cloned().collect();
        let referenced = all.iter().flat_map(|delta| &delta.referenced_data_files).cloned().collect();
        let (added, rest): (Vec<_>, Vec<_>) = all
            .into_iter()
            .map(|delta| {
                let Self { added, removed, .. } = delta.clone();
                (added, (removed, delta))
            })
            .unzip();
        let (removed, rest): (Vec<_>, Vec<_>) = rest.into_iter().unzip();
        Ok(Self {
            added: Receipt::concat(added)?,
            removed: Receipt::concat(removed)?,
            deleted_rows,
            repeated,
            replaced,
            referenced_data_files: referenced,
            ..rest.into_iter().next().unwrap_or_default()
        })
    }

    /// Does it add files of this content?
    pub(crate) fn adds(&self, content: FileContent) -> bool {
        self.added.files().iter().any(|written| written.file.content == content)
    }

    /// Puts what is not in receipts into a header. Gives the bytes of both receipts, and of the positions.
    ///
    /// Errors: `Unsupported` with the keys of a source, which stay where the source is.
    pub(super) fn put(&self, object: &mut ObjectWriter) -> Result<Vec<u8>> {
        if self.keys.is_some() || self.read_rows.is_some() {
            return Err(Error::unsupported(
                "an upsert or a merge is committed where its source is: its keys are not sent to other processes",
            ));
        }
        let (mut added, mut removed) = (self.added.to_bytes()?, self.removed.to_bytes()?);
        object.put("added-length", added.len() as u64);
        object.put("removed-length", removed.len() as u64);
        object.put("deleted-rows-of", self.deleted_rows.keys().cloned().collect::<Vec<_>>());
        if let Some((path, row)) = &self.repeated {
            object.put("repeated-row-of", path.as_str());
            object.put("repeated-row", *row);
        }
        object.put("replaced", self.replaced.iter().cloned().collect::<Vec<_>>());
        object.put("referenced-data-files", self.referenced_data_files.clone());
        object.put_some("read-snapshot-id", self.read_snapshot_id);
        if let Some(filter) = &self.filter {
            object.put("filter", expression_json::to_json(filter)?);
        }
        object.put("case-sensitive", self.case_sensitive);
        object.put_some("isolation", self.isolation.map(IsolationLevel::name));
        object.put_some("mode", self.mode.map(DeleteMode::name));
        added.append(&mut removed);
        for positions in self.deleted_rows.values() {
            positions
                .serialize_into(&mut added)
                .map_err(|error| Error::internal("positions are written to memory").caused_by(error))?;
        }
        Ok(added)
    }

    /// Reads the delta that [`Self::put`] wrote.
    pub(super) fn read(object: &mut ObjectReader<'_>, command: RowCommand, receipts: &[u8]) -> Result<Self> {
        let mut rest = receipts;
        let mut receipt = |name| {
            let length = usize::try_from(object.required(name, long)?).ok();
            let split = length.and_then(|length| rest.split_at_checked(length));
            let (receipt, after) = split.ok_or_else(|| Error::invalid_input("its receipts are truncated"))?;
            rest = after;
            Receipt::from_bytes(receipt)
        };
        let (added, removed) = (receipt("added-length")?, receipt("removed-length")?);
        let of = object.required("deleted-rows-of", list(string))?;
        let positions = of.into_iter().map(|path| {
            let positions = RoaringTreemap::deserialize_from(&mut rest)
                .map_err(|error| Error::invalid_input("its positions are damaged").caused_by(error))?;
            Ok((path, positions))
        });
        let deleted_rows = positions.collect::<Result<_>>()?;
        let filter = object.optional("filter", raw)?;
        let isolation = object.optional("isolation", string)?;
        let mode = object.optional("mode", string)?;
        let repeated = match object.optional("repeated-row-of", string)? {
            None => None,
            Some(path) => Some((path, u64::try_from(object.required("repeated-row", long)?).unwrap_or(0))),
        };
        Ok(Self {
            added,
            removed,
            deleted_rows,
            repeated,
            replaced: object.required("replaced", list(string))?.into_iter().collect(),
            referenced_data_files: object.required("referenced-data-files", list(string))?,
            read_snapshot_id: object.optional("read-snapshot-id", long)?,
            filter: filter.map(|filter| expression_json::from_json(&filter)).transpose()?,
            case_sensitive: object.required("case-sensitive", boolean)?,
            isolation: isolation.map(|level| level.parse()).transpose()?,
            keys: None,
            inserts_keys: false,
            read_rows: None,
            command,
            mode: mode.map(|mode| mode.parse()).transpose()?,
        })
    }
}
