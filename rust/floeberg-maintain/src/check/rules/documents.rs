//! Which rules hold for a metadata file as a whole?
//!
//! Spec: Table Metadata; Appendix C; Partition Statistics; Encryption Keys.

floeberg_core::rules! {
    METADATA_READABLE: "metadata-readable", Metadata, EnginesFail, "Table Metadata",
        "A metadata file is there, and holds the JSON of a table or a view.";
    FORMAT_VERSION: "format-version", Metadata, EnginesFail, "Table Metadata Fields",
        "The format version is 1, 2 or 3; that of a view is 1.";
    REQUIRED_FIELD: "required-field", Metadata, EnginesFail, "Table Metadata Fields",
        "Fields that the format version requires are there.",
        repair "table.repair";
    FIELD_TYPE: "field-type", Metadata, EnginesFail, "Appendix C: JSON serialization",
        "Fields of the metadata have the type of the specification.";
    FIELD_OF_VERSION: "field-of-version", Metadata, Cosmetic, "Table Metadata Fields",
        "Fields that the format version does not have are left out.",
        repair "table.repair";
    TABLE_UUID: "table-uuid", Metadata, EnginesFail, "Table Metadata Fields",
        "The identity of a table or a view is a UUID.";
    METADATA_STRICT: "metadata-strict", Metadata, EnginesFail, "Appendix C: JSON serialization",
        "The metadata can be parsed, apart from what other rules say.";
    DEPRECATED_COPIES: "deprecated-copies", Metadata, EnginesFail, "Table Metadata Fields",
        "In version 1, `schema` and `partition-spec` are the current schema and the default spec.",
        engines "engines that read the deprecated fields take other columns or partitions",
        repair "table.repair";
    VERSION_HINT: "version-hint", Metadata, EnginesFail, "File System Tables",
        "Where a metadata folder has a `version-hint.text`, it leads to a metadata file.",
        engines "engines that open folders by the hint fail",
        repair "table.repair";
    METADATA_LOG_FILE: "metadata-log-file", Metadata, Cosmetic, "Table Metadata Fields",
        "The files that the metadata log names are there.",
        repair "table.repair";
    METADATA_LOG_ORDER: "metadata-log-order", Metadata, EnginesFail, "Table Metadata Fields",
        "The metadata log is in the order of time, with a minute for clocks that differ.",
        engines "Iceberg Java refuses to load the table",
        repair "table.repair";
    METADATA_LOG_TIME: "metadata-log-time", Metadata, Cosmetic, "Table Metadata Fields",
        "An entry of the metadata log has the time of its file.",
        repair "table.repair";
    UUID_UNCHANGED: "uuid-unchanged", Metadata, EnginesFail, "Table Metadata Fields",
        "The identity of a table stays the same from one metadata file to the next.";
    NOTHING_GOES_BACK: "nothing-goes-back", Metadata, WrongData, "Table Metadata Fields",
        "The format version, the highest ids, the sequence number and the next row id never become lower.";
    HISTORY_UNCHANGED: "history-unchanged", Metadata, WrongData, "Table Metadata Fields",
        "Schemas, specs, sort orders and snapshots stay as they were written.";
    NAME_MAPPING: "name-mapping", Metadata, EnginesFail, "Name Mapping Serialization",
        "The name mapping of the table is valid JSON, with each name once at its level.",
        repair "table.update_properties with `schema.name-mapping.default`";
    NAME_MAPPING_IDS: "name-mapping-ids", Metadata, Cosmetic, "Name Mapping Serialization",
        "The name mapping names columns that some schema of the table has.";
    STATISTICS_SNAPSHOT: "statistics-snapshot", Metadata, Cosmetic, "Table Statistics",
        "Statistics files are of snapshots that the table has.",
        repair "table.repair";
    STATISTICS_ONCE: "statistics-once", Metadata, EnginesFail, "Table Statistics",
        "A snapshot has at most one file of table statistics, and one of partition statistics.",
        repair "table.repair";
    ENCRYPTION_KEYS: "encryption-keys", Metadata, EnginesFail, "Encryption Keys",
        "Encryption keys have unique ids, and those that are named are there.";
}
