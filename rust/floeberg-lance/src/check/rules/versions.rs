//! Which rules hold for the versions of a Lance table: their manifests without the fragments, transactions, and refs?
//!
//! Spec: Lance, Manifest; Schema & Fields; Transactions; Branch and Tag Specification.

floeberg_core::rules! {
    VERSIONS: "lance-versions", Metadata, EnginesFail, "Lance: Manifest Naming Schemes",
        "A table, and each of its branches, has a version.";
    MANIFEST_NAME: "lance-manifest-name", Metadata, Cosmetic, "Lance: Manifest Naming Schemes",
        "A manifest is named by its version, as one of the two naming schemes writes it.",
        engines "pylance and Floeberg pass such a file over";
    ONE_SCHEME: "lance-naming-scheme", Metadata, EnginesFail, "Lance: Manifest Naming Schemes",
        "All manifests of a branch are named by one scheme.",
        repair "floeberg.lance.migrate_manifest_paths";
    VERSION_HINT: "lance-version-hint", Metadata, Cosmetic, "Lance: Manifest Naming Schemes",
        "The hint at the latest version names no version above the latest.";
    MANIFEST_READABLE: "lance-manifest-readable", Metadata, WrongData, "Lance: Manifest",
        "The manifest of a version is there, and can be decoded.";
    MANIFEST_STRICT: "lance-manifest-strict", Manifests, EnginesFail, "Lance: Manifest",
        "A version can be opened, apart from what other rules say.";
    MANIFEST_VERSION: "lance-manifest-version", Metadata, WrongData, "Lance: Manifest",
        "A manifest has the version that its name says.";
    MANIFEST_BRANCH: "lance-manifest-branch", Metadata, EnginesFail, "Lance: Branch Dataset Layout",
        "A manifest has the branch whose folder it lies in.";
    VERSION_TIME: "lance-version-time", Metadata, EnginesFail, "Lance: Manifest",
        "A version says when it was made, and not before the version before it, with a minute for clocks that differ.",
        engines "a version that is looked up by time is another one";
    READER_FLAGS: "lance-reader-flags", Metadata, WrongData, "Lance: Current Feature Flags",
        "The flags for readers name each feature that a reader must know: deletion files, stable row ids, base paths.",
        engines "a reader that does not know the feature reads wrong rows";
    WRITER_FLAGS: "lance-writer-flags", Metadata, WrongData, "Lance: Current Feature Flags",
        "The flags for writers name each feature that a writer must know.",
        engines "a writer that does not know the feature writes a wrong version";
    FLAG_PAIRS: "lance-flag-pairs", Metadata, EnginesFail, "Lance: Current Feature Flags",
        "A flag of readers and writers is set for both, and that of field ids together with the highest of them.";
    FLAGS_KNOWN: "lance-flags-known", Metadata, EnginesFail, "Lance: Current Feature Flags",
        "Flags are those of the format.";
    DATA_FORMAT: "lance-data-format", Metadata, EnginesFail, "Lance: Data Files",
        "The data files of a table are of the format `lance`, and of a version of it that there is.";
    FIELD_ID: "lance-field-id", Metadata, WrongData, "Lance: Schema & Fields",
        "Fields have ids from 0 on, each once.";
    FIELD_PARENT: "lance-field-parent", Metadata, EnginesFail, "Lance: Schema & Fields",
        "The parent of a field is a field before it.";
    FIELD_NAME: "lance-field-name", Metadata, EnginesFail, "Lance: Schema & Fields",
        "No two fields of a struct have one name.";
    FIELD_TYPE: "lance-field-type", Metadata, EnginesFail, "Lance: Schema & Fields",
        "Fields have types of the format, with the fields below them that these need.";
    PRIMARY_KEY: "lance-primary-key", Metadata, EnginesFail, "Lance: Schema & Fields",
        "A field of the unenforced primary key has no fields below it, is in no list or map, and is never null, as are its parents.";
    MAX_FIELD_ID: "lance-max-field-id", Metadata, WrongData, "Lance: Schema & Fields",
        "No field has an id above the highest that was given: the next column would get an id that is taken.";
    BASE_PATH_ID: "lance-base-path-id", Metadata, WrongData, "Lance: Base Path System",
        "Base paths have ids, each once, and a path.";
    TRANSACTION: "lance-transaction-readable", Metadata, EnginesFail, "Lance: Transaction Files",
        "The transaction that a manifest names is there, and can be decoded.",
        engines "writers cannot tell whether a commit conflicts with this version";
    TRANSACTION_NAME: "lance-transaction-name", Metadata, EnginesFail, "Lance: Transaction Files",
        "A transaction has the version and the id that its file is named by.";
    TRANSACTION_VERSION: "lance-transaction-version", Metadata, EnginesFail, "Lance: Transaction Files",
        "A transaction was made of a version below the one that it made; that of a clone, of the version that it copies.";
    TRANSACTION_COPIES: "lance-transaction-copies", Metadata, EnginesFail, "Lance: Transaction Files",
        "The transaction in a manifest is the one in its file.";
    REF_READABLE: "lance-ref-readable", Metadata, EnginesFail, "Lance: Branch and Tag Specification",
        "The file of a tag or a branch is named by it, and can be read.";
    TAG_VERSION: "lance-tag-version", Metadata, WrongData, "Lance: Tag File Format",
        "A tag names a version that there is.";
    TAG_SIZE: "lance-tag-manifest-size", Metadata, EnginesFail, "Lance: Tag File Format",
        "A tag has the size of the manifest that it names.";
    BRANCH_PARENT: "lance-branch-parent", Metadata, Cosmetic, "Lance: Branch Metadata File Format",
        "A branch came from a version that there is.";
}
