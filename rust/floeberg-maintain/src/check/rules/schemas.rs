//! Which rules hold for schemas, partition specs and sort orders?
//!
//! Spec: Schemas and Data Types; Partitioning; Sorting.

floeberg_core::rules! {
    SCHEMA_ID_UNIQUE: "schema-id-unique", Metadata, EnginesFail, "Schemas and Data Types",
        "No two schemas have one id.";
    SPEC_ID_UNIQUE: "partition-spec-id-unique", Metadata, EnginesFail, "Partitioning",
        "No two partition specs have one id.";
    ORDER_ID_UNIQUE: "sort-order-id-unique", Metadata, EnginesFail, "Sorting",
        "No two sort orders have one id.";
    CURRENT_SCHEMA: "current-schema", Metadata, EnginesFail, "Table Metadata Fields",
        "The current schema is one of the schemas.";
    DEFAULT_SPEC: "default-partition-spec", Metadata, EnginesFail, "Table Metadata Fields",
        "The default partition spec is one of the specs.";
    DEFAULT_ORDER: "default-sort-order", Metadata, EnginesFail, "Table Metadata Fields",
        "The default sort order is one of the sort orders.";
    FIELD_ID_UNIQUE: "field-id-unique", Metadata, WrongData, "Schemas and Data Types",
        "No two fields of a schema have one id.";
    FIELD_NAME_UNIQUE: "field-name-unique", Metadata, EnginesFail, "Schemas and Data Types",
        "No two fields of a struct have one name, and none has an empty one.";
    FIELD_ID_RANGE: "field-id-range", Metadata, WrongData, "Reserved Field IDs",
        "Field ids go from 0 to 2147483447.";
    LAST_COLUMN_ID: "last-column-id", Metadata, WrongData, "Table Metadata Fields",
        "No field has an id above `last-column-id`: the next column would get an id that is taken.",
        repair "table.repair";
    TYPE_KNOWN: "type-known", Metadata, EnginesFail, "Primitive Types",
        "Types are those of the specification.";
    TYPE_OF_VERSION: "type-of-version", Metadata, EnginesFail, "Primitive Types",
        "Types are those of the format version.";
    DEFAULT_OF_VERSION: "default-of-version", Metadata, Cosmetic, "Default values",
        "Columns have defaults from version 3 on.",
        engines "PyIceberg 0.12 writes `initial-default` into metadata of version 2";
    DEFAULT_VALUE: "default-value", Metadata, EnginesFail, "Default values",
        "A default is a value of its column's type; those of unknown, variant and geo columns are null.";
    INITIAL_DEFAULT: "initial-default-unchanged", Metadata, WrongData, "Default values",
        "The initial default of a column never changes.";
    TYPE_PROMOTION: "type-promotion", Metadata, WrongData, "Schema Evolution",
        "The type of a column changes only by a promotion that is allowed, and it stays in its struct.";
    IDENTIFIER_FIELDS: "identifier-fields", Metadata, EnginesFail, "Identifier Field IDs",
        "Identifier fields are required primitive columns, no floats, in no list, map or optional struct.";
    SCHEMA_KEPT_TWICE: "schema-once", Metadata, Cosmetic, "Schemas and Data Types",
        "No two schemas are equal.";
    SPEC_KEPT_TWICE: "partition-spec-once", Metadata, Cosmetic, "Partitioning",
        "No two partition specs are equal.";
    ORDER_KEPT_TWICE: "sort-order-once", Metadata, Cosmetic, "Sorting",
        "No two sort orders are equal.";
    PARTITION_FIELD_UNIQUE: "partition-field-unique", Metadata, EnginesFail, "Partitioning",
        "No two fields of a partition spec have one id or one name.";
    PARTITION_FIELD_ID: "partition-field-id", Metadata, EnginesFail, "Partition Evolution",
        "Ids of partition fields go from 1000 to `last-partition-id`.",
        repair "table.repair";
    PARTITION_FIELD_MEANING: "partition-field-meaning", Metadata, WrongData, "Partition Evolution",
        "A partition field id has one source and one transform in all specs, from version 2 on.";
    PARTITION_SOURCE: "partition-source", Metadata, EnginesFail, "Partitioning",
        "The source of a partition field is a column, in no list or map; that of the default spec is in the current schema.";
    PARTITION_TRANSFORM: "partition-transform", Metadata, EnginesFail, "Partition Transforms",
        "A transform takes the type of its source column.";
    TRANSFORM_KNOWN: "transform-known", Metadata, EnginesFail, "Partition Transforms",
        "Transforms are those of the specification.";
    SOURCE_FORM: "transform-source-form", Metadata, EnginesFail, "Partition Specs",
        "A field of a spec or a sort order has one of `source-id` and `source-ids`.",
        repair "table.repair";
    ORDER_0: "sort-order-0", Metadata, EnginesFail, "Sorting",
        "Sort order 0 has no fields, and the others have some.";
    SORT_FIELD: "sort-field", Metadata, EnginesFail, "Sorting",
        "A sort field has a direction and an order of nulls.";
    SORT_SOURCE: "sort-source", Metadata, EnginesFail, "Sorting",
        "The source of a field of the default sort order is a primitive column of the current schema.";
}
