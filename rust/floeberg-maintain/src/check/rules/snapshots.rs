//! Which rules hold for snapshots, refs and logs?
//!
//! Spec: Snapshots; Snapshot References; Sequence Numbers; Row Lineage.

floeberg_core::rules! {
    SNAPSHOT_ID_UNIQUE: "snapshot-id-unique", Metadata, EnginesFail, "Snapshots",
        "No two snapshots have one id.";
    CURRENT_SNAPSHOT: "current-snapshot", Metadata, WrongData, "Table Metadata Fields",
        "The current snapshot is one of the snapshots.";
    NO_SNAPSHOT: "no-snapshot-is-null", Metadata, Cosmetic, "Assignment of Snapshot IDs and `current-snapshot-id`",
        "From version 3 on, a table without a current snapshot has none, and not -1.";
    SNAPSHOT_MANIFESTS: "snapshot-manifests", Metadata, EnginesFail, "Snapshots",
        "A snapshot has a manifest list, or in version 1 a list of manifests, and not both.";
    OPERATION: "operation", Metadata, EnginesFail, "Snapshots",
        "The summary of a snapshot has an operation: append, replace, overwrite or delete.";
    SNAPSHOT_SCHEMA: "snapshot-schema", Metadata, EnginesFail, "Snapshots",
        "The schema of a snapshot is one of the schemas.";
    SNAPSHOT_PARENT: "snapshot-parent", Metadata, WrongData, "Snapshots",
        "No snapshot is its own ancestor.";
    SNAPSHOT_TIME: "snapshot-time", Metadata, EnginesFail, "Table Metadata Fields",
        "No snapshot is younger than its metadata, with a minute for clocks that differ.",
        engines "Iceberg Java refuses to load the table",
        repair "table.repair";
    SEQUENCE_ORDER: "sequence-order", Metadata, WrongData, "Sequence Numbers",
        "A snapshot has a higher sequence number than its parent.";
    SEQUENCE_UNIQUE: "sequence-unique", Metadata, WrongData, "Sequence Numbers",
        "No two snapshots have one sequence number, but those of version 1.";
    LAST_SEQUENCE_NUMBER: "last-sequence-number", Metadata, WrongData, "Table Metadata Fields",
        "No snapshot has a sequence number above `last-sequence-number`.",
        engines "Iceberg Java refuses to load the table",
        repair "table.repair";
    SNAPSHOT_ROW_IDS: "snapshot-row-ids", Metadata, WrongData, "Snapshot Row IDs",
        "From version 3 on, a snapshot has `first-row-id` and `added-rows`, both 0 or more.";
    ROW_ID_RANGES: "snapshot-row-ids-overlap", Metadata, WrongData, "Snapshot Row IDs",
        "No two snapshots assign one row id.";
    NEXT_ROW_ID: "next-row-id", Metadata, WrongData, "Row Lineage",
        "No snapshot assigns a row id of `next-row-id` or above.",
        repair "table.repair";
    REF_SNAPSHOT: "ref-snapshot", Metadata, WrongData, "Snapshot References",
        "A branch or tag names a snapshot of the table.";
    REF_TYPE: "ref-type", Metadata, EnginesFail, "Snapshot References",
        "A ref is a branch or a tag, and `main` is a branch.";
    REF_RETENTION: "ref-retention", Metadata, EnginesFail, "Snapshot References",
        "Retention of refs is positive, and tags have an age alone.";
    MAIN_IS_CURRENT: "main-is-current", Metadata, WrongData, "Snapshot References",
        "The branch `main` is at the current snapshot.";
    SNAPSHOT_LOG_NAMES: "snapshot-log-names", Metadata, EnginesFail, "Table Metadata Fields",
        "The snapshot log names snapshots that the table has.",
        repair "table.repair";
    SNAPSHOT_LOG_END: "snapshot-log-end", Metadata, WrongData, "Table Metadata Fields",
        "The snapshot log ends with the current snapshot.",
        engines "Iceberg Java refuses to load the table",
        repair "table.repair";
    SNAPSHOT_LOG_ORDER: "snapshot-log-order", Metadata, EnginesFail, "Table Metadata Fields",
        "The snapshot log is in the order of time, with a minute for clocks that differ.",
        engines "Iceberg Java refuses to load the table",
        repair "table.repair";
}
