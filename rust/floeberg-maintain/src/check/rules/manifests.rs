//! Which rules hold for manifest lists, manifests, and all files of a snapshot together?
//!
//! Spec: Manifests; Manifest Lists; Scan Planning; Row Lineage; Optional Snapshot Summary Fields.

floeberg_core::rules! {
    LIST_READABLE: "manifest-list-readable", Manifests, WrongData, "Manifest Lists",
        "The manifest list of a snapshot is there, and can be read.";
    LIST_HEADER: "manifest-list-header", Manifests, Cosmetic, "Manifest Lists",
        "What the header of a manifest list says of its snapshot is so.",
        repair "table.repair";
    LIST_FIELDS: "manifest-list-fields", Manifests, EnginesFail, "Manifest Lists",
        "A manifest list has the fields that its format version requires, by their ids.";
    MANIFEST_ONCE: "manifest-once", Manifests, WrongData, "Manifest Lists",
        "A manifest list names each manifest once.";
    MANIFEST_READABLE: "manifest-readable", Manifests, WrongData, "Manifests",
        "A manifest is there, and can be read.",
        repair "table.repair, with `drop_missing_manifests`";
    MANIFEST_LENGTH: "manifest-length", Manifests, EnginesFail, "Manifest Lists",
        "A manifest has the length that its list says.",
        engines "engines that read to the said length fail, or read a part",
        repair "table.repair";
    MANIFEST_SPEC: "manifest-partition-spec", Manifests, WrongData, "Manifest Lists",
        "The partition spec of a manifest is one of the specs.";
    MANIFEST_SEQUENCE: "manifest-sequence", Manifests, WrongData, "Manifest Lists",
        "A manifest has the sequence number of its snapshot if this one added it, and else a lower one.";
    MIN_SEQUENCE: "manifest-min-sequence", Manifests, WrongData, "Manifest Lists",
        "`min_sequence_number` is that of the live files of the manifest.",
        engines "engines that leave out delete manifests by it may lose deletes",
        repair "table.repair";
    FILE_COUNTS: "manifest-file-counts", Manifests, WrongData, "Manifest Lists",
        "A manifest has as many added, existing and deleted files as its list says.",
        engines "engines skip manifests without live files by these counts",
        repair "table.repair";
    ROW_COUNTS: "manifest-row-counts", Manifests, EnginesFail, "Manifest Lists",
        "A manifest has as many added, existing and deleted rows as its list says.",
        repair "table.repair";
    SUMMARY_FIELDS: "partition-summary-fields", Manifests, EnginesFail, "Manifest Lists",
        "A manifest has a partition summary for each field of its spec, or none.",
        repair "table.repair";
    SUMMARY_NULLS: "partition-summary-nulls", Manifests, WrongData, "Manifest Lists",
        "A partition summary says that there are nulls where there are some.",
        repair "table.repair";
    SUMMARY_NANS: "partition-summary-nans", Manifests, WrongData, "Manifest Lists",
        "A partition summary says that there are NaNs where there are some.",
        repair "table.repair";
    SUMMARY_BOUNDS: "partition-summary-bounds", Manifests, WrongData, "Manifest Lists",
        "The bounds of a partition summary are values of the field, and contain all of its values.",
        repair "table.repair";
    MANIFEST_HEADER: "manifest-header", Manifests, EnginesFail, "Manifests",
        "The header of a manifest has its schema, its partition spec and its version, as the table has them.",
        repair "table.repair";
    MANIFEST_CONTENT: "manifest-content", Manifests, WrongData, "Manifests",
        "A manifest holds data files or delete files, as its list says.";
    MANIFEST_FIELDS: "manifest-fields", Manifests, EnginesFail, "Manifest Entry Fields",
        "A manifest has the fields that its format version requires, by their ids.";
    MANIFEST_ROW_IDS: "manifest-row-ids", Manifests, WrongData, "First Row ID Assignment",
        "From version 3 on, a data manifest has a first row id, in a snapshot that assigns row ids.";
    DELETE_ROW_IDS: "deletes-have-no-row-ids", Manifests, Cosmetic, "First Row ID Assignment",
        "Delete manifests and delete files have no first row id.",
        engines "DuckDB 1.5 gives delete manifests one",
        repair "table.repair";
    ADDED_ROWS: "added-rows", Manifests, WrongData, "Snapshot Row IDs",
        "The row ids that a snapshot assigns to manifests are below `first-row-id` and `added-rows`.";
    SUMMARY_TOTALS: "summary-totals", Manifests, Cosmetic, "Optional Snapshot Summary Fields",
        "The totals in the summary of a snapshot are those of its files.",
        engines "Iceberg Java estimates tables by them, and carries wrong totals on",
        repair "table.repair";
    SUMMARY_CHANGES: "summary-changes", Manifests, Cosmetic, "Optional Snapshot Summary Fields",
        "The files and rows that the summary of a snapshot says were added and removed are those of its entries.",
        repair "table.repair";
    LIVE_ONCE: "file-live-once", Manifests, WrongData, "Scan Planning",
        "No file is live twice in a snapshot: its rows would be read twice.";
    ONE_VECTOR: "one-vector-of-a-file", Manifests, WrongData, "Deletion Vectors",
        "A data file has at most one deletion vector in a snapshot.";
    DANGLING_VECTOR: "vector-without-data-file", Manifests, Slow, "Deletion Vectors",
        "The data file of a deletion vector is live in each snapshot that has the vector.",
        repair "table.repair";
    DELETE_PARTITION: "delete-partition", Manifests, WrongData, "Scan Planning",
        "A delete file has the spec and the partition of the data file that it names.";
    DELETE_SEQUENCE: "delete-sequence", Manifests, WrongData, "Scan Planning",
        "A delete file by position is not older than the data file that it names.";
    ROW_IDS_OVERLAP: "row-ids-overlap", Manifests, WrongData, "Row Lineage",
        "No two data files have one row id.";
}
