//! Which rules hold for views?
//!
//! Spec: View Metadata; Versions; Representations; Version log.

floeberg_core::rules! {
    VIEW_VERSION_UNIQUE: "view-version-unique", Metadata, EnginesFail, "View: Versions",
        "No two versions of a view have one id.";
    VIEW_CURRENT_VERSION: "view-current-version", Metadata, EnginesFail, "View: View Metadata",
        "The current version of a view is one of its versions.";
    VIEW_SCHEMA: "view-schema", Metadata, EnginesFail, "View: Versions",
        "The schema of a version is one of the schemas of the view.";
    VIEW_REPRESENTATION: "view-representation", Metadata, EnginesFail, "View: Representations",
        "A version has representations, each with a type, and those of SQL have a text and a dialect.";
    VIEW_DIALECT: "view-dialect-once", Metadata, EnginesFail, "View: SQL representation",
        "A version has at most one text of each dialect.";
    VIEW_LOG_END: "view-log-end", Metadata, EnginesFail, "View: Version log",
        "The version log ends with the current version.";
    VIEW_LOG_ORDER: "view-log-order", Metadata, Cosmetic, "View: Version log",
        "The version log is in the order of time, with a minute for clocks that differ.";
}
