//! Which rules hold for data files, delete files and statistics files as they lie in a store?
//!
//! Spec: Data File Fields; Column Projection; Deletion Vectors; Puffin; Table Statistics.

floeberg_core::rules! {
    FILE_THERE: "file-there", Files, WrongData, "Data File Fields",
        "A live file is there.",
        repair "table.repair, with `drop_missing_data_files` or `drop_missing_delete_files`";
    FILE_READABLE: "file-readable", Files, WrongData, "Appendix A: Format-specific Requirements",
        "A live file is of its format, and its footer can be read.";
    FILE_SIZE: "file-size", Files, EnginesFail, "Data File Fields",
        "A file has the size that its entry says.",
        engines "engines that look for a footer at the said end fail",
        repair "table.repair";
    RECORD_COUNT: "record-count", Files, WrongData, "Data File Fields",
        "A file has as many rows as its entry says.",
        engines "counts and limits that engines take from metadata are wrong",
        repair "table.repair";
    ROW_GROUPS: "split-offsets-row-groups", Files, Slow, "Data File Fields",
        "The split offsets of a Parquet file are where its row groups start.",
        repair "table.repair";
    COLUMN_TYPE: "column-type", Files, WrongData, "Column Projection",
        "A column of a file can be read as the column of the table with its field id.";
    FIELD_IDS: "file-field-ids", Files, WrongData, "Column Projection",
        "A file without field ids is read by a name mapping.",
        engines "engines read such files by position or by name",
        repair "table.update_properties with `schema.name-mapping.default`";
    DELETE_COLUMNS: "delete-columns", Files, WrongData, "Delete Formats",
        "A delete file has the columns that it deletes by.";
    VECTOR_BLOB: "vector-blob", Files, WrongData, "Deletion Vectors",
        "The footer of a Puffin file describes a deletion vector as its entry does.";
    VECTOR_READABLE: "vector-readable", Files, WrongData, "Deletion Vectors",
        "A deletion vector can be read: its length, its checksum and its positions are right.";
    VECTOR_COUNT: "vector-count", Files, WrongData, "Deletion Vectors",
        "A deletion vector has as many positions as its entry says.",
        repair "table.repair";
    VECTOR_POSITIONS: "vector-positions", Files, EnginesFail, "Deletion Vectors",
        "The positions of a deletion vector are those of rows of its data file.";
    STATISTICS_FILE: "statistics-file", Files, Cosmetic, "Table Statistics",
        "A statistics file is there, has the said size, and can be read.",
        repair "table.maintenance.compute_table_stats";
    STATISTICS_BLOBS: "statistics-blobs", Files, Cosmetic, "Table Statistics",
        "The blobs of a statistics file are those that the metadata describes.",
        repair "table.maintenance.compute_table_stats";
}
