//! What does it take to mend what breaks a rule?
//!
//! Spec: Data File Fields; Manifests; Table Metadata Fields.

/// What mends a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mending {
    /// The counts, sizes, bounds and split offsets of an entry, anew.
    Metrics {
        /// Of rows, since the footer of the file may be wrong too?
        by_rows: bool,
    },
    /// No sort order in an entry.
    NoSortOrder,
    /// No data file that a data file names.
    NoReference,
    /// No columns in the entry of a file that deletes by none.
    NoEqualityIds,
    /// What the entry of a vector says of its place, by its Puffin file; and nothing for other files.
    VectorPlace,
    /// The manifest is written again.
    Manifest,
    /// The manifest of an entry is written again: without it, if it is a deleted one, and with what it inherits, if it is an added one.
    Entry,
    /// The next snapshot has it right.
    Snapshot,
    /// The vector is removed.
    DanglingVector,
    /// The file is given up, where that is asked for.
    MissingFile,
    /// The manifest is given up, where that is asked for.
    MissingManifest,
    /// The metadata is written again.
    Metadata,
    /// `version-hint.text` is written again.
    Hint,
}

/// What mends what breaks a rule; `None` where nothing does without a guess.
pub(super) fn mending_of(rule: &str) -> Option<Mending> {
    use Mending as M;
    Some(match rule {
        "split-offsets"
        | "file-numbers"
        | "metrics-negative"
        | "metrics-once"
        | "metrics-nans"
        | "file-size"
        | "record-count"
        | "split-offsets-row-groups"
        | "vector-count" => M::Metrics { by_rows: false },
        "metrics-counts" | "bound-value" | "bound-order" | "value-counts" | "null-counts" | "nan-counts"
        | "lower-bounds" | "upper-bounds" => M::Metrics { by_rows: true },
        "file-sort-order" | "rows-sorted" => M::NoSortOrder,
        "data-file-fields" => M::NoReference,
        "equality-ids" => M::NoEqualityIds,
        "vector-fields" => M::VectorPlace,
        "manifest-length"
        | "manifest-min-sequence"
        | "manifest-file-counts"
        | "manifest-row-counts"
        | "partition-summary-fields"
        | "partition-summary-nulls"
        | "partition-summary-nans"
        | "partition-summary-bounds"
        | "manifest-header"
        | "deletes-have-no-row-ids" => M::Manifest,
        "entry-snapshot" | "entry-file-sequence" => M::Entry,
        "manifest-list-header" | "summary-totals" | "summary-changes" => M::Snapshot,
        "vector-without-data-file" => M::DanglingVector,
        "file-there" => M::MissingFile,
        "manifest-readable" => M::MissingManifest,
        "required-field"
        | "field-of-version"
        | "deprecated-copies"
        | "metadata-log-file"
        | "metadata-log-order"
        | "metadata-log-time"
        | "statistics-snapshot"
        | "statistics-once"
        | "last-column-id"
        | "partition-field-id"
        | "transform-source-form"
        | "last-sequence-number"
        | "next-row-id"
        | "snapshot-time"
        | "snapshot-log-names"
        | "snapshot-log-end"
        | "snapshot-log-order" => M::Metadata,
        "version-hint" => M::Hint,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::mending_of;
    use crate::check::iceberg_rules;

    #[test]
    fn rules_that_name_a_repair_have_one() {
        for rule in iceberg_rules() {
            let is_named = rule.repair.is_some_and(|repair| repair.starts_with("table.repair"));
            assert_eq!(is_named, mending_of(rule.id).is_some(), "{}", rule.id);
        }
    }
}
