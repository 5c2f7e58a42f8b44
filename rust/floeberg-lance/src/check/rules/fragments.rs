//! Which rules hold for what a manifest lists: fragments, row ids and indices?
//!
//! Spec: Lance, Fragments; Data Evolution; Row ID & Lineage; Index Metadata.

floeberg_core::rules! {
    FRAGMENT_ID: "lance-fragment-id", Manifests, WrongData, "Lance: Fragments",
        "Fragments have ids of 32 bits, each once.";
    MAX_FRAGMENT_ID: "lance-max-fragment-id", Manifests, WrongData, "Lance: Fragments",
        "No fragment has an id above the highest that was given: the next fragment would get an id that is taken.";
    FRAGMENT_ROWS: "lance-fragment-rows", Manifests, WrongData, "Lance: Fragments",
        "A fragment has a number of rows from 1 on, of 32 bits, and no more deleted rows than rows.";
    FRAGMENT_COLUMNS: "lance-fragment-columns", Manifests, WrongData, "Lance: Data Evolution",
        "A column that may not be null is in a data file of each fragment.";
    FIELD_ONCE: "lance-field-once", Manifests, WrongData, "Lance: Data Evolution",
        "A field is in one data file of a fragment at most, and once in it.";
    COLUMN_INDICES: "lance-column-indices", Manifests, WrongData, "Lance: Data Files",
        "A data file says the column of each of its fields, and no column twice.";
    ENTRY_FIELD: "lance-file-field-ids", Manifests, WrongData, "Lance: Data Evolution",
        "The fields of a data file have ids that were given, or -2 for a field that is not used any more.";
    ENTRY_VERSION: "lance-file-version", Manifests, EnginesFail, "Lance: Data Files",
        "Data files are of the version that the manifest says, or of any where the flag of mixed versions is set.";
    FILE_ONCE: "lance-data-file-once", Manifests, WrongData, "Lance: Data Files",
        "No data file is in two fragments, or twice in one: its rows would be read twice.";
    FILE_PATH: "lance-file-path", Manifests, EnginesFail, "Lance: Base Path System",
        "The path of a file stays below the folder that it is joined with.";
    BASE_PATH: "lance-base-path", Manifests, WrongData, "Lance: Base Path System",
        "The base path that a file, or an index, names is one of the manifest; that of a deletion file is the folder of a table.";
    ROW_IDS_ALL: "lance-row-ids-all", Manifests, WrongData, "Lance: Stable Row ID",
        "All fragments have row ids where the flag of stable row ids is set.";
    ROW_IDS_READABLE: "lance-row-ids-readable", Manifests, WrongData, "Lance: Row ID Sequences",
        "The row ids of a fragment can be decoded.";
    ROW_IDS_COUNT: "lance-row-ids-count", Manifests, WrongData, "Lance: Row ID Sequences",
        "A fragment has a row id for each of its rows, deleted ones included.";
    NEXT_ROW_ID: "lance-next-row-id", Manifests, WrongData, "Lance: Row ID Assignment",
        "No row has an id of `next_row_id` or above: the next row would get an id that is taken.";
    ROW_VERSIONS_READABLE: "lance-row-versions-readable", Manifests, WrongData, "Lance: Row Version Tracking",
        "The versions of the rows of a fragment can be decoded, and there is one for each row.";
    ROW_VERSIONS_RANGE: "lance-row-versions-range", Manifests, WrongData, "Lance: Row Version Tracking",
        "No row came or changed after the version, or changed before it came.";
    INDICES_READABLE: "lance-indices-readable", Manifests, EnginesFail, "Lance: Index Metadata",
        "The indices of a manifest can be decoded, each with an id of 16 bytes and a bitmap of fragments.";
    INDEX_ONCE: "lance-index-once", Manifests, EnginesFail, "Lance: Index Metadata",
        "No two indices have one id.";
    INDEX_FIELD: "lance-index-field", Manifests, EnginesFail, "Lance: Index Metadata",
        "The fields of an index are fields of the schema.";
    INDEX_VERSION: "lance-index-version", Manifests, WrongData, "Lance: Index Metadata",
        "An index was made of a version that is not above the manifest's.";
    INDEX_FRAGMENTS: "lance-index-fragments", Manifests, WrongData, "Lance: Index Metadata",
        "An index covers no fragment above the highest that was given: the next fragment would count as indexed.";
    INDEX_OVERLAP: "lance-index-overlap", Manifests, WrongData, "Lance: Index Metadata",
        "No two indices of one name cover one fragment: its rows would be found twice.";
}
