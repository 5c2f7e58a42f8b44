//! Which rules hold for the files of fragments, for row ids without deleted rows, and for rows?
//!
//! Spec: Lance, Data Files; Deletion Files; Row ID Index; Index Storage; File Format.

floeberg_core::rules! {
    FILE_THERE: "lance-file-there", Files, WrongData, "Lance: Data Files",
        "A data file is there.";
    FILE_SIZE: "lance-file-size", Files, EnginesFail, "Lance: Data Files",
        "A data file has the size that the manifest says, where it says one.",
        engines "engines that look for a footer at the said end fail";
    FILE_READABLE: "lance-file-readable", Files, WrongData, "Lance: File Format",
        "A data file ends as the format says, and describes its columns.";
    FILE_ROWS: "lance-file-rows", Files, WrongData, "Lance: Fragments",
        "A data file has as many rows as its fragment.";
    FOOTER_VERSION: "lance-footer-version", Files, EnginesFail, "Lance: Data Files",
        "A data file is of the version that the manifest says of it.";
    FILE_COLUMNS: "lance-file-columns", Files, WrongData, "Lance: Data Files",
        "A data file has the columns that the manifest says of it.";
    COLUMN_TYPE: "lance-column-type", Files, WrongData, "Lance: Schema & Fields",
        "A column of a data file has the type of the field that it is of.";
    DELETION_THERE: "lance-deletion-there", Files, WrongData, "Lance: Deletion Files",
        "A deletion file is there.";
    DELETION_READABLE: "lance-deletion-readable", Files, WrongData, "Lance: Deletion Files",
        "A deletion file can be decoded.";
    DELETION_COUNT: "lance-deletion-count", Files, WrongData, "Lance: Deletion Files",
        "A deletion file deletes as many rows as the manifest says.",
        engines "counts that engines take from manifests are wrong";
    DELETION_ROWS: "lance-deletion-rows", Files, EnginesFail, "Lance: Deletion Files",
        "The deleted rows are rows of the fragment.";
    ROW_IDS_ONCE: "lance-row-ids-once", Files, WrongData, "Lance: Row ID Index",
        "No two rows that are not deleted have one row id.";
    INDEX_FILES: "lance-index-files", Files, EnginesFail, "Lance: Index Storage",
        "The folder of an index has files.",
        engines "reads that use the index fail", repair "table.maintenance.compact, with drop_indices";
    ROWS_READABLE: "lance-rows-readable", Rows, WrongData, "Lance: File Format",
        "All rows of a fragment can be decoded.";
    REQUIRED_VALUES: "lance-required-values", Rows, EnginesFail, "Lance: Schema & Fields",
        "A field that may not be null has no nulls.";
}
