//! Is an entry allowed in a manifest of this format version?
//!
//! In: an entry, and its manifest. Out: nothing, or what is wrong with it.
//! Spec: Manifest Entry Fields; Data File Fields; Sequence Number Inheritance; Appendix E.
//!
//! Invariant: a field that the format version does not have is an error, never silently dropped. Rules for new files do not apply
//! to existing files: those are carried over as their writers left them.

use floeberg_core::{Error, Result};

use super::{DataFile, EntryStatus, FileContent, ManifestEntry};
use crate::manifest::ManifestContent;
use crate::metadata::check_version;

/// The properties of a manifest that the rules need.
pub(super) struct Rules {
    pub(super) format_version: u8,
    pub(super) content: ManifestContent,
    pub(super) snapshot_id: i64,
}

impl Rules {
    /// Errors: `Unsupported` for a format version that this version does not write, `InvalidInput` for deletes in v1.
    pub(super) fn check_manifest(&self) -> Result<()> {
        check_version(self.format_version)?;
        match (self.format_version, self.content) {
            (1, ManifestContent::Deletes) => {
                Err(Error::invalid_input("format version 1 has no delete files"))
            }
            _ => Ok(()),
        }
    }

    /// Errors: `InvalidInput`.
    pub(super) fn check(&self, entry: &ManifestEntry) -> Result<()> {
        self.check_numbers(entry)?;
        self.check_content(&entry.data_file)?;
        self.check_version(&entry.data_file)?;
        if entry.status == EntryStatus::Added { self.check_new(&entry.data_file) } else { Ok(()) }
    }

    fn check_numbers(&self, entry: &ManifestEntry) -> Result<()> {
        let added = entry.status == EntryStatus::Added;
        let numbers = [
            ("sequence number", entry.sequence_number),
            ("file sequence number", entry.file_sequence_number),
            ("record count", Some(entry.data_file.record_count)),
            ("file size", Some(entry.data_file.file_size_in_bytes)),
            ("first row id", entry.data_file.first_row_id),
            ("content offset", entry.data_file.content_offset),
            ("content size", entry.data_file.content_size_in_bytes),
        ];
        if let Some((name, Some(number))) =
            numbers.iter().find(|(_, number)| number.is_some_and(|number| number < 0))
        {
            return Err(Error::invalid_input(format!("expected a {name} of 0 or more, found {number}")));
        }
        match (entry.status, entry.snapshot_id) {
            (EntryStatus::Existing, None) => {
                return Err(Error::invalid_input("an existing file needs its snapshot id"));
            }
            (EntryStatus::Added, Some(other))
                if other != self.snapshot_id && entry.sequence_number.is_none() =>
            {
                return Err(Error::invalid_input(format!(
                    "a file of snapshot {other} cannot inherit the sequence number of snapshot {}",
                    self.snapshot_id
                )));
            }
            _ => {}
        }
        if self.format_version == 1 {
            let other = [entry.sequence_number, entry.file_sequence_number];
            return match other.into_iter().flatten().find(|number| *number != 0) {
                Some(number) => Err(Error::invalid_input(format!(
                    "format version 1 has no sequence numbers, found {number}"
                ))),
                None => Ok(()),
            };
        }
        // Old writers left out the sequence number at which a file was added, and nothing depends on it.
        if entry.sequence_number.is_none() && !added {
            return Err(Error::invalid_input("only added files inherit their sequence number"));
        }
        Ok(())
    }

    fn check_content(&self, file: &DataFile) -> Result<()> {
        let is_data = file.content == FileContent::Data;
        if is_data != (self.content == ManifestContent::Data) {
            let (found, listed) = (file.content, self.content);
            return Err(Error::invalid_input(format!("a manifest of {listed:?} cannot list {found:?}")));
        }
        if is_data && (file.referenced_data_file.is_some() || file.content_offset.is_some()) {
            return Err(Error::invalid_input(
                "a data file cannot have a content offset or refer to another data file",
            ));
        }
        if !is_data && file.first_row_id.is_some() {
            return Err(Error::invalid_input("the rows of a delete file have no row ids"));
        }
        if file.content == FileContent::EqualityDeletes
            && file.equality_ids.as_ref().is_none_or(Vec::is_empty)
        {
            return Err(Error::invalid_input("an equality delete file needs equality ids"));
        }
        let place = (file.content_offset.is_some(), file.content_size_in_bytes.is_some());
        if place.0 != place.1 {
            return Err(Error::invalid_input(
                "expected both a content offset and a content size, or neither",
            ));
        }
        if file.is_vector() && (file.referenced_data_file.is_none() || !place.0) {
            return Err(Error::invalid_input(
                "a deletion vector needs its referenced data file, content offset and content size",
            ));
        }
        Ok(())
    }

    fn check_version(&self, file: &DataFile) -> Result<()> {
        let version = self.format_version;
        let of_v3 = [
            ("first row ids", file.first_row_id.is_some()),
            ("parts of files as content", file.content_offset.is_some()),
            ("deletion vectors", file.is_vector()),
        ];
        match of_v3.iter().find(|(_, is_there)| *is_there) {
            Some((what, _)) if version < 3 => {
                Err(Error::invalid_input(format!("format version {version} has no {what}")))
            }
            _ if version == 1 && file.equality_ids.is_some() => {
                Err(Error::invalid_input("format version 1 has no equality deletes"))
            }
            _ => Ok(()),
        }
    }

    fn check_new(&self, file: &DataFile) -> Result<()> {
        let is_equality = file.content == FileContent::EqualityDeletes;
        if !is_equality && file.equality_ids.as_ref().is_some_and(|ids| !ids.is_empty()) {
            return Err(Error::invalid_input("only equality delete files have equality ids"));
        }
        if file.content == FileContent::PositionDeletes && self.format_version >= 3 && !file.is_vector() {
            return Err(Error::invalid_input(
                "new position deletes must be deletion vectors from format version 3 on",
            ));
        }
        if file.first_row_id.is_some() {
            return Err(Error::invalid_input("a new file cannot have row ids: the commit assigns them"));
        }
        if file.content == FileContent::PositionDeletes && file.sort_order_id.is_some() {
            return Err(Error::invalid_input("position delete files have no sort order"));
        }
        if file.split_offsets.as_ref().is_some_and(|offsets| !offsets.is_sorted()) {
            return Err(Error::invalid_input("expected ascending split offsets"));
        }
        Ok(())
    }
}
