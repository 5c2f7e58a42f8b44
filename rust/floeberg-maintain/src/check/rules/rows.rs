//! Which rules hold for the rows of files?
//!
//! Spec: Field-level Metrics and Statistics; Partitioning; Sorting; Delete Formats.

floeberg_core::rules! {
    ROWS_READABLE: "rows-readable", Rows, WrongData, "Appendix A: Format-specific Requirements",
        "All rows of a file can be read.";
    VALUE_COUNTS: "value-counts", Rows, WrongData, "Field-level Metrics and Statistics",
        "A column has as many values as its metrics say.",
        repair "table.repair";
    NULL_COUNTS: "null-counts", Rows, WrongData, "Field-level Metrics and Statistics",
        "A column has as many nulls as its metrics say.",
        repair "table.repair";
    NAN_COUNTS: "nan-counts", Rows, WrongData, "Field-level Metrics and Statistics",
        "A column has as many NaNs as its metrics say.",
        repair "table.repair";
    LOWER_BOUNDS: "lower-bounds", Rows, WrongData, "Field-level Metrics and Statistics",
        "No value of a column is below its lower bound.",
        repair "table.repair";
    UPPER_BOUNDS: "upper-bounds", Rows, WrongData, "Field-level Metrics and Statistics",
        "No value of a column is above its upper bound.",
        repair "table.repair";
    PARTITION_VALUES: "partition-values", Rows, WrongData, "Partitioning",
        "The partition values of a file are those of each of its rows.";
    REQUIRED_VALUES: "required-values", Rows, EnginesFail, "Schemas and Data Types",
        "A required column has no nulls.";
    ROWS_SORTED: "rows-sorted", Rows, WrongData, "Sorting",
        "The rows of a file are in the sort order that its entry names.",
        repair "table.repair";
    POSITIONS_SORTED: "positions-sorted", Rows, EnginesFail, "Position Delete Files",
        "Position deletes are sorted by file and position.",
        repair "table.maintenance.rewrite_position_delete_files";
    POSITIONS_OF_FILE: "positions-of-file", Rows, WrongData, "Position Delete Files",
        "A file of position deletes that names one data file has deletes for no other one.",
        repair "table.maintenance.rewrite_position_delete_files";
}
