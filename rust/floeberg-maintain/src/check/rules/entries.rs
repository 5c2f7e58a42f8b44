//! Which rules hold for the entries of manifests?
//!
//! Spec: Manifest Entry Fields; Data File Fields; Field-level Metrics and Statistics; Sequence Number Inheritance.

floeberg_core::rules! {
    ENTRY_STATUS: "entry-status", Manifests, WrongData, "Manifest Entry Fields",
        "The status of an entry is 0 (existing), 1 (added) or 2 (deleted).";
    ENTRY_SNAPSHOT: "entry-snapshot", Manifests, EnginesFail, "Manifest Entry Fields",
        "Files that a manifest adds or deletes are of the snapshot that added the manifest; version 1 says it in each entry.",
        repair "table.repair";
    ENTRY_SEQUENCE: "entry-sequence", Manifests, WrongData, "Sequence Number Inheritance",
        "Existing and deleted entries have a sequence number, and none is above that of the manifest.";
    ENTRY_FILE_SEQUENCE: "entry-file-sequence", Manifests, Cosmetic, "Sequence Number Inheritance",
        "Existing and deleted entries have a file sequence number, and none is above that of the manifest.",
        repair "table.repair";
    ENTRY_CONTENT: "entry-content", Manifests, WrongData, "Data File Fields",
        "A data manifest holds data files, a delete manifest position deletes and equality deletes.";
    FILE_PATH: "file-path", Manifests, WrongData, "Data File Fields",
        "A file has a location.";
    FILE_FORMAT: "file-format", Manifests, EnginesFail, "Data File Fields",
        "A file is in Avro, ORC or Parquet, and a deletion vector in Puffin.";
    FILE_NUMBERS: "file-numbers", Manifests, EnginesFail, "Data File Fields",
        "A file has 0 rows or more, and more than 0 bytes.",
        repair "table.repair";
    SPLIT_OFFSETS: "split-offsets", Manifests, EnginesFail, "Data File Fields",
        "Split offsets ascend, and are in the file.",
        repair "table.repair";
    SORT_ORDER_THERE: "file-sort-order", Manifests, Cosmetic, "Data File Fields",
        "The sort order of a file is one of the table's; files of position deletes have none.",
        repair "table.repair";
    EQUALITY_IDS: "equality-ids", Manifests, WrongData, "Equality Delete Files",
        "Files of equality deletes, and these alone, name columns that the table has or had.",
        repair "table.repair";
    EQUALITY_COLUMNS: "equality-columns", Manifests, EnginesFail, "Equality Delete Files",
        "Columns of equality deletes are primitive, no floats, and in no list or map.";
    VECTOR_FIELDS: "vector-fields", Manifests, WrongData, "Data File Fields",
        "A deletion vector names its data file, and its offset and size in its file; other files have no offset.",
        repair "table.repair";
    DATA_FIELDS: "data-file-fields", Manifests, EnginesFail, "Data File Fields",
        "Data files name no other data file.",
        repair "table.repair";
    DELETES_OF_VERSION: "deletes-of-version", Manifests, EnginesFail, "Delete Formats",
        "Version 1 has no deletes, version 2 no deletion vectors, and version 3 gets no new files of position deletes.",
        repair "table.maintenance.rewrite_position_delete_files";
    METRIC_NEGATIVE: "metrics-negative", Manifests, EnginesFail, "Field-level Metrics and Statistics",
        "Counts and sizes of columns are 0 or more.",
        repair "table.repair";
    METRIC_TWICE: "metrics-once", Manifests, EnginesFail, "Field-level Metrics and Statistics",
        "A map of metrics has a column once.",
        repair "table.repair";
    METRIC_COUNTS: "metrics-counts", Manifests, WrongData, "Field-level Metrics and Statistics",
        "A column has no more nulls and NaNs than values, and a column at the top as many values as rows.",
        repair "table.repair";
    METRIC_NANS: "metrics-nans", Manifests, Cosmetic, "Field-level Metrics and Statistics",
        "Only columns of floats have NaNs.",
        repair "table.repair";
    BOUND_VALUE: "bound-value", Manifests, WrongData, "Bound serialization",
        "A bound is a value of its column, and not NaN.",
        repair "table.repair";
    BOUND_ORDER: "bound-order", Manifests, WrongData, "Field-level Metrics and Statistics",
        "A lower bound is not above the upper one.",
        repair "table.repair";
}
