"""The compiled half of Floeberg. Use `floeberg`, not this.

A filter crosses as a tree of tuples (`expression/mod.rs` describes it), a literal as `(kind, value)`, metadata as
the text of its canonical JSON, rows as capsules of the Arrow PyCapsule interface.
"""

from typing import Any, Final, TypeAlias, final

from typing_extensions import CapsuleType

__version__: Final[str]
# fmt: off
__all__ = [
    "ArrowSchema", "Attempt", "Batch", "BatchReader", "Batches", "Column", "Commit", "MetadataReader",
    "Operation", "Plan", "Receipt", "Scan", "Table", "TaskGroup", "View", "WriteRecipe", "__version__",
    "canonical_location", "checked_type", "columns_to_add", "encode_variant", "encode_variants", "evolved_schema",
    "expression_from_json", "expression_to_json", "expression_to_text", "file_exists", "list_folder",
    "local_path", "location_from_user", "parse_expression", "partition_statistics_files",
    "partition_statistics_rows", "put_file", "read_file", "remove_files",
    "remove_files_below", "schema_from_arrow", "statistics_blob", "statistics_blobs", "statistics_files",
    "table_properties", "table_property", "transform_column", "without_passwords",
]
# fmt: on

_Tree: TypeAlias = tuple[Any, ...]
_Fields: TypeAlias = dict[str, Any]
_Task: TypeAlias = tuple[_Fields, list[tuple[str, Any]], list[_Fields], _Tree, tuple[int, int | None] | None]
"""The fields of a data file, its partition as (name, literal), the fields of its deletes, its residual, and the range
of bytes that is read, where that is a part of the file."""

def parse_expression(text: str) -> _Tree:
    """The tree of a SQL filter."""

def expression_from_json(text: str) -> _Tree:
    """The tree of a filter in the JSON of the REST catalog specification."""

def expression_to_json(tree: _Tree) -> str: ...
def expression_to_text(tree: _Tree) -> str:
    """The SQL-like text of a tree."""

def location_from_user(location: str) -> str:
    """The written form of a location that a user gave: relative paths become absolute, `file:` URIs are decoded."""

def local_path(location: str) -> str | None: ...
def canonical_location(location: str) -> str:
    """The one spelling of a written location that comparisons use."""

def list_folder(location: str, *, storage_options: dict[str, str]) -> list[tuple[str, bool]]:
    """The names in a folder, and whether each is a folder."""

def file_exists(location: str, *, storage_options: dict[str, str]) -> bool: ...
def read_file(location: str, *, storage_options: dict[str, str]) -> bytes: ...
def put_file(location: str, content: bytes, *, storage_options: dict[str, str]) -> None:
    """Writes a file, in place of the one that was there."""

def remove_files(locations: list[str], *, storage_options: dict[str, str]) -> None: ...
def remove_files_below(
    locations: list[str], *, folders: list[str], storage_options: dict[str, str]
) -> list[str]:
    """Removes those files that are below one of the folders, as far as they are there. The others come out."""

def without_passwords(text: str) -> str:
    """A text without the users and passwords of locations in it."""

def transform_column(transform: str, reader: object) -> list[Column]:
    """A transform of the one column of the batches of a `pyarrow.RecordBatchReader`."""

def checked_type(name: str) -> str:
    """The name of a primitive type or of `variant`, as the specification writes it."""

def encode_variants(values: list[Any]) -> Column:
    """A column of variants, a row a value; `None` is null."""

def encode_variant(value: object) -> tuple[bytes, bytes]:
    """Metadata and value of one variant; `None` is variant's null."""

def schema_from_arrow(schema: object, format_version: int) -> str:
    """The schema, as JSON text, of a table of a format version that holds the rows of a `pyarrow.Schema`."""

def evolved_schema(table: Table, changes_json: str) -> str:
    """The schema of a table after changes, as JSON text, without making them."""

def columns_to_add(table: Table, schema: object) -> str | None:
    """The changes, as JSON text, that give a table the columns which rows of a `pyarrow.Schema` have and it has not."""

def table_property(properties: dict[str, str], name: str) -> bool | int | str | None:
    """The value of a property of tables, or its default where it is not set."""

def table_properties() -> list[tuple[str, str, str, str]]:
    """Known properties of tables: key, default, "followed", "kept" or "refused", and what it means, or why not."""

def statistics_files(table: Table) -> str:
    """The statistics files of a table, as JSON text."""

def partition_statistics_files(table: Table) -> str:
    """The partition statistics files of a table, as JSON text."""

def statistics_blobs(table: Table, path: str) -> list[_Fields]:
    """The blobs that the footer of a statistics file lists: the fields of `floeberg.statistics.PuffinBlob`."""

def statistics_blob(table: Table, path: str, number: int) -> bytes:
    """The content of a blob of a statistics file, decompressed."""

def partition_statistics_rows(table: Table, path: str) -> Batches:
    """The rows of a partition statistics file."""

@final
class View:
    """An Iceberg view, opened."""

    @staticmethod
    def open(location: str, *, relocate: list[tuple[str, str]], storage_options: dict[str, str]) -> View: ...
    @property
    def metadata_location(self) -> str: ...
    def metadata_json(self) -> str: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @staticmethod
    def _from_recipe(recipe: bytes) -> View: ...

@final
class Table:
    """An Iceberg table, opened at one of its snapshots."""

    @staticmethod
    def open(
        location: str,
        *,
        relocate: list[tuple[str, str]],
        storage_options: dict[str, str],
        snapshot_id: int | None,
        reference: str | None,
        as_of_ms: int | None,
        manifest_cache: int | None,
    ) -> Table: ...
    @staticmethod
    def open_metadata(metadata_location: str, *, storage_options: dict[str, str]) -> Table:
        """Opens the metadata file that a catalog names: its location is taken as it was written."""
    @staticmethod
    def from_metadata(
        metadata_json: str, metadata_location: str, *, storage_options: dict[str, str], earlier: Table | None
    ) -> Table:
        """The table of metadata that is at hand, with the manifests that an earlier moment of it knows."""
    @property
    def storage_options(self) -> dict[str, str]: ...
    @property
    def identity(self) -> tuple[str | None, int]:
        """The id of the table, and when it was last changed, in milliseconds."""
    def find_commit(self, key: str, *, branch: str, operations: list[str] | None) -> int | None:
        """The snapshot that did the work of a key on a branch; raises where the key is that of other operations."""
    def operation_of(self, snapshot_id: int) -> str | None: ...
    def check_same_table(self, later: Table) -> None:
        """Raises `NoSuchTableError` unless `later` is metadata of the same table."""
    @property
    def location(self) -> str: ...
    @property
    def properties(self) -> dict[str, str]: ...
    @property
    def metadata_location(self) -> str: ...
    @property
    def format_version(self) -> int: ...
    @property
    def snapshot_id(self) -> int | None: ...
    def metadata_json(self) -> str: ...
    def history(self) -> list[tuple[int, int, int | None, bool]]:
        """(snapshot id, milliseconds, parent id, is an ancestor of the current one), oldest first."""

    def scan(
        self,
        *,
        row_filter: _Tree,
        selected_fields: list[str],
        case_sensitive: bool,
        snapshot_id: int | None,
        limit: int | None,
        appends_after: tuple[int | None] | None = None,
    ) -> Scan:
        """`appends_after` is `(snapshot id or None,)` for what appends added after that snapshot alone."""

    def inspect(self, name: str, snapshot_id: int | None) -> MetadataReader:
        """A metadata table, at the snapshot given or else at that of the table."""

    def __reduce__(self) -> tuple[Any, ...]: ...
    @staticmethod
    def _from_recipe(recipe: bytes) -> Table: ...

@final
class Receipt:
    """Files that are there and in no table yet."""

    @staticmethod
    def concat(receipts: list[Receipt]) -> Receipt:
        """The files of several receipts, in their order."""

    def __len__(self) -> int: ...
    @property
    def rows(self) -> int: ...
    @property
    def size(self) -> int: ...
    def locations(self) -> list[str]: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @staticmethod
    def _from_recipe(recipe: bytes) -> Receipt: ...

@final
class Operation:
    """An operation on a table, which stands on no base."""

    @staticmethod
    def append(receipt: Receipt, *, merge: bool | None) -> Operation:
        """Adds files. `merge`: are manifests merged? None is what the table's properties say."""

    @staticmethod
    def overwrite(
        receipt: Receipt, row_filter: _Tree, *, case_sensitive: bool, isolation: str | None
    ) -> Operation:
        """Removes the files whose rows match, and adds files. `isolation`: serializable, snapshot, or the table's."""

    @staticmethod
    def delete(row_filter: _Tree, *, case_sensitive: bool, isolation: str | None) -> Operation:
        """Removes the files whose rows match."""

    @staticmethod
    def dynamic_overwrite(receipt: Receipt, *, isolation: str | None) -> Operation:
        """Adds files, and removes all others of their partitions."""

    @staticmethod
    def create_table(
        *,
        schema_json: str,
        spec_json: str | None,
        sort_order_json: str | None,
        location: str,
        properties: dict[str, str],
        format_version: int,
    ) -> Operation:
        """Makes the table. Spec and order as in metadata, or as lists of texts; column ids are those of the schema."""

    @staticmethod
    def set_properties(properties: dict[str, str]) -> Operation: ...
    @staticmethod
    def remove_properties(names: list[str]) -> Operation: ...
    @staticmethod
    def update_schema(changes_json: str) -> Operation: ...
    @staticmethod
    def upgrade_format_version(version: int) -> Operation: ...
    @staticmethod
    def set_ref(
        name: str,
        snapshot_id: int,
        *,
        is_tag: bool,
        min_snapshots_to_keep: int | None,
        max_snapshot_age_ms: int | None,
        max_ref_age_ms: int | None,
    ) -> Operation: ...
    @staticmethod
    def remove_ref(name: str) -> Operation: ...
    @property
    def name(self) -> str: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @staticmethod
    def _from_recipe(recipe: bytes) -> Operation: ...

@final
class Commit:
    """Operations that are tried on one base after the other until they are through."""

    @staticmethod
    def begin(
        operations: list[Operation],
        *,
        starting: Table | None,
        storage_options: dict[str, str],
        snapshot_properties: dict[str, str],
        branch: str,
        commit_key: str,
        made_from: list[int | None] = ...,
        files_are_new: bool = False,
    ) -> Commit: ...
    def attempt(self, base: Table | None) -> Attempt:
        """Tries the operations on a base, and writes their manifests and manifest lists."""

    def find_own(self, base: Table) -> int | None: ...
    def find_earlier(self, base: Table) -> int | None: ...
    def abandon(self) -> list[str]:
        """Removes all that attempts wrote, where none got through; gives what could not be removed."""

    def finished(self, attempt: Attempt) -> list[str]:
        """Removes what other attempts left than the one that got through; gives what could not be removed."""

    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Attempt:
    """A commit on one base."""

    @property
    def changes(self) -> bool:
        """Is anything different afterwards?"""
    @property
    def snapshot_id(self) -> int | None:
        """The last snapshot that it makes."""
    @property
    def metadata_json(self) -> str: ...
    @property
    def requirements_json(self) -> str: ...
    @property
    def updates_json(self) -> str: ...
    @property
    def properties(self) -> dict[str, str]: ...
    @property
    def metadata_folder(self) -> str:
        """Where the table's metadata files go."""

    def write_metadata(self, location: str, *, if_absent: bool) -> None: ...
    def table(self, metadata_location: str) -> Table:
        """The table afterwards, at the metadata file that it was written to."""

    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Scan:
    """Rows and columns of one snapshot."""

    @property
    def is_incremental(self) -> bool:
        """Does it read only what appends added?"""

    @property
    def is_pinned(self) -> bool:
        """Was a snapshot chosen?"""

    def branch_read(self) -> tuple[str | None, str, int | None] | None: ...
    @property
    def limit(self) -> int | None: ...
    @property
    def snapshot_id(self) -> int | None: ...
    def filter(self, row_filter: _Tree) -> Scan: ...
    def select(self, field_names: list[str]) -> Scan: ...
    def use_ref(self, name: str) -> Scan: ...
    def as_of(self, timestamp_ms: int) -> Scan: ...
    def schema_json(self) -> str: ...
    def projection_json(self) -> str: ...
    def arrow_schema(self, engine: str | None = None) -> ArrowSchema:
        """The Arrow schema of the rows in a form."""

    def check_engine(self, engine: str) -> None:
        """Raises an `UnsupportedError` that names a column without such a form, if there is one."""

    def plan(self) -> Plan: ...
    def explain_with_names(self) -> _Fields:
        """The account of planning with the names of files."""

    def count(self) -> tuple[int, _Fields]:
        """The number of rows, and how it was found."""

    def extreme(self, column: str, largest: bool) -> tuple[tuple[str, Any] | None, _Fields]:
        """The smallest or the largest value of a column as a literal, and how it was found."""

    def read_all(self) -> Batches: ...
    def stream(self) -> BatchReader: ...
    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> CapsuleType: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @staticmethod
    def _from_recipe(recipe: bytes) -> Scan: ...

@final
class MetadataReader:
    """The rows of a metadata table, read as they are asked for."""

    def arrow_schema(self) -> ArrowSchema: ...
    def next_batch(self) -> Batch | None:
        """The next batch, or `None` after the last one."""

    def read_all(self) -> Batches:
        """All rows that are left."""

    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Plan:
    """The files of a scan, as columns."""

    def __len__(self) -> int: ...
    @property
    def known_length(self) -> int | None:
        """How many files there are, if that is known by now."""

    def batches(self) -> BatchReader:
        """The columns, batch by batch: as they are planned, where they were not before."""

    def task(self, number: int) -> _Task: ...
    def delete_files(self) -> list[_Fields]: ...
    def residuals(self) -> list[_Tree]: ...
    def split(
        self,
        target_size: int | None = None,
        open_file_cost: int | None = None,
        lookback: int | None = None,
        most_groups: int | None = None,
        least_size: int | None = None,
    ) -> list[TaskGroup]:
        """Groups of about the target's size; or, where it is told how many are enough, as many even ones."""

    def explain(self) -> _Fields: ...
    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> CapsuleType: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class TaskGroup:
    """Tasks of a scan with all that reading them needs."""

    def __len__(self) -> int: ...
    def task(self, number: int) -> _Task: ...
    def extent(self) -> tuple[int, int]:
        """Bytes of the data files, and rows, that the tasks read at most."""

    def read_all(self) -> Batches: ...
    def stream(self, engine: str | None = None, threads: int | None = None) -> BatchReader:
        """The rows, batch by batch, in a form (`spark`, `spark-truncate-ns`), read by so many threads."""

    def arrow_schema(self, engine: str | None = None) -> ArrowSchema:
        """The Arrow schema of the rows in a form."""

    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> CapsuleType: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @staticmethod
    def _from_recipe(recipe: bytes) -> TaskGroup: ...

@final
class WriteRecipe:
    """How rows of one write become files of a table: its schema, spec, sort order, properties and place."""

    @staticmethod
    def of(table: Table, *, options: dict[str, str], write_id: str) -> WriteRecipe:
        """Of a table as it is. Options change `write.*` properties for this write."""

    @property
    def write_id(self) -> str:
        """What tells the files of this write from those of others."""

    def write(self, reader: object, *, task: str, partition: int) -> Receipt:
        """Writes the rows of a `pyarrow.RecordBatchReader`. A write that fails leaves no file."""

    def arrow_schema(self) -> ArrowSchema:
        """The Arrow schema that rows of the table have."""

    def schema_fits(self, schema: object) -> None:
        """Raises one error that lists what of a `pyarrow.Schema` does not fit the table."""

    def remove(self, receipt: Receipt) -> None:
        """Removes the files of a receipt that no table has."""

    def __reduce__(self) -> tuple[Any, ...]: ...
    @staticmethod
    def _from_recipe(recipe: bytes) -> WriteRecipe: ...

@final
class BatchReader:
    """Batches in plan order. Dropping it stops the work."""

    def next_batch(self) -> Batch | None:
        """The next batch, or `None` after the last one."""

    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class ArrowSchema:
    """A schema on its way to Python: `pyarrow.schema(schema)` takes it."""

    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Column:
    """A column on its way to Python: `pyarrow.array(column)` takes it."""

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[CapsuleType, CapsuleType]: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Batch:
    """One batch of rows on its way to Python: `pyarrow.record_batch(batch)` takes it."""

    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[CapsuleType, CapsuleType]: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Batches:
    """Batches that are all there: `pyarrow.table(batches)` takes them."""

    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> CapsuleType: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
