//! Which operations may follow one another though both were made of the same version?
//!
//! A table: a row an operation of ours, a column one that was committed meanwhile.
//! Spec: Lance, Transactions, Conflict Resolution; `io/commit/conflict_resolver.rs`.
//!
//! Invariant: what is not in the table is refused.

use crate::wire::Operation;

/// When may ours follow theirs?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// Always.
    Ok,
    /// Never, but it may be made anew.
    Retry,
    /// Never.
    Refuse,
    /// Unless both touch one fragment; then it may be made anew.
    Fragments,
    /// As before, but rows of one fragment are united where none is in both.
    Rows,
    /// Unless a field that ours replaces is gone; then it may be made anew.
    KeptFields,
    /// Unless a field that ours replaces is gone.
    HasFields,
    /// Unless a fragment that ours replaces files of is gone.
    HasFragments,
    /// As before; where rows moved out of such a fragment, or its field was written, it may be made anew.
    StayedRows,
    /// Unless both replace a field of one fragment; then it may be made anew.
    Fields,
    /// Unless one sets a setting that the other sets or removes.
    Settings,
    /// As before, and otherwise it may be made anew.
    SettingsOrRetry,
    /// As `Settings`, and never where ours changes metadata of the schema or of fields.
    SettingsAlone,
    /// As `Settings`, and unless both change metadata of the same thing.
    SettingsAndMetadata,
    /// Unless both are about one index; then it may be made anew.
    Indices,
    /// Unless ours uses the indices of theirs; then it may be made anew.
    IndexedFields,
}

use Rule::{
    Fields, Fragments, HasFields, HasFragments, IndexedFields, Indices, KeptFields, Ok, Refuse, Retry, Rows,
    Settings, SettingsAlone, SettingsAndMetadata, SettingsOrRetry, StayedRows,
};

/// The columns of the table.
const THEIRS: [&str; 15] = [
    "Append",
    "Delete",
    "Update",
    "Rewrite",
    "DataReplacement",
    "Merge",
    "Project",
    "CreateIndex",
    "Overwrite",
    "Restore",
    "ReserveFragments",
    "UpdateConfig",
    "UpdateMemWalState",
    "UpdateBases",
    "Clone",
];

/// The table. Of log-structured updates in memory (`UpdateMemWalState`) none is ours.
#[rustfmt::skip]
const MATRIX: [(&str, [Rule; 15]); 13] = [
    //                    Append Delete        Update      Rewrite    DataRepl.  Merge   Project     CreateIndex    Overwrite        Restore Reserve UpdateConfig         MemWal  Bases   Clone
    ("Append",           [Ok,    Ok,           Ok,         Ok,        Ok,        Ok,     Ok,         Ok,            Refuse,          Refuse, Ok,     Ok,                  Refuse, Ok,     Ok]),
    ("Delete",           [Ok,    Rows,         Rows,       Fragments, Fragments, Retry,  Ok,         Ok,            Refuse,          Refuse, Ok,     Ok,                  Refuse, Ok,     Ok]),
    ("Update",           [Ok,    Rows,         Rows,       Fragments, Fragments, Retry,  KeptFields, Ok,            Refuse,          Refuse, Ok,     Ok,                  Refuse, Ok,     Ok]),
    ("Rewrite",          [Ok,    Fragments,    Fragments,  Fragments, Fragments, Retry,  Ok,         Retry,         Refuse,          Refuse, Ok,     Ok,                  Refuse, Ok,     Ok]),
    ("DataReplacement",  [Ok,    HasFragments, StayedRows, Fragments, Fields,    Retry,  HasFields,  IndexedFields, Refuse,          Refuse, Ok,     Ok,                  Refuse, Ok,     Ok]),
    ("Merge",            [Retry, Retry,        Retry,      Retry,     Retry,     Retry,  Refuse,     Ok,            Refuse,          Refuse, Ok,     Ok,                  Refuse, Ok,     Ok]),
    ("Project",          [Ok,    Ok,           Ok,         Ok,        Ok,        Retry,  Retry,      Ok,            Refuse,          Refuse, Ok,     Ok,                  Refuse, Ok,     Ok]),
    ("CreateIndex",      [Ok,    Ok,           Ok,         Ok,        Ok,        Ok,     Ok,         Indices,       Refuse,          Refuse, Ok,     Ok,                  Refuse, Ok,     Ok]),
    ("Overwrite",        [Ok,    Ok,           Ok,         Ok,        Ok,        Ok,     Ok,         Ok,            SettingsOrRetry, Ok,     Ok,     Settings,            Refuse, Ok,     Ok]),
    ("Restore",          [Ok,    Ok,           Ok,         Ok,        Ok,        Ok,     Ok,         Ok,            Ok,              Ok,     Ok,     Ok,                  Refuse, Ok,     Ok]),
    ("ReserveFragments", [Ok,    Ok,           Ok,         Ok,        Ok,        Ok,     Ok,         Ok,            Refuse,          Refuse, Ok,     Ok,                  Refuse, Ok,     Ok]),
    ("UpdateConfig",     [Ok,    Ok,           Ok,         Ok,        Ok,        Ok,     Ok,         Ok,            SettingsAlone,   Ok,     Ok,     SettingsAndMetadata, Refuse, Ok,     Ok]),
    ("Clone",            [Ok,    Ok,           Ok,         Ok,        Ok,        Ok,     Ok,         Ok,            Ok,              Ok,     Ok,     Ok,                  Ok,     Ok,     Ok]),
];

/// The cell of two operations.
pub(super) fn rule(ours: &Operation, theirs: &Operation) -> Rule {
    let column = THEIRS.iter().position(|name| *name == theirs.name());
    let row = MATRIX.iter().find(|(name, _)| *name == ours.name());
    match (row, column) {
        (Some((_, rules)), Some(column)) => rules[column],
        _ => Refuse,
    }
}
