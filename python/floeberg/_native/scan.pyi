"""Scans, plans, task groups, and their rows.

An `engine` is `spark`, or `spark-truncate-ns`, which cuts nanoseconds to microseconds. `None` leaves rows
in the types of the table.

Rust: `rust/floeberg-python/src/scan/`.
"""

from typing import Any, TypeAlias, final

from typing_extensions import CapsuleType

from floeberg._native.arrow import ArrowSchema, Batch, Batches, Column
from floeberg._native.values import _Literal, _Tree

_Fields: TypeAlias = dict[str, Any]
"""The fields of a dataclass of the package, by name."""

_Snapshot: TypeAlias = tuple[
    int, int | None, int, int, str | None, dict[str, str], int | None, int | None, int | None
]
"""The arguments of a `floeberg.types.Snapshot`."""

_Task: TypeAlias = tuple[
    _Fields, list[tuple[str, _Literal | None]], list[_Fields], _Tree, tuple[int, int | None] | None
]
"""A task: the fields of its `DataFile`; its partition, as names and literals; the fields of its `DeleteFile`s; its
residual; and the bytes to read, start and exclusive end, where it is a part of a file."""

def parquet_shapes(scan: Scan, locations: list[str]) -> tuple[list[tuple[int, int]], list[str]]:
    """The columns of files, from their footers: for each file the index of a text and its size, and the texts."""

def plan_parts(scan: Scan) -> PlanParts:
    """Reads the manifest list of a scan, to plan it by tasks.

    Raises:
        UnsupportedError: The scan reads what appends added.
    """

def plan_part(scan: Scan, data: bytes, deletes: bytes, threads: int | None = None) -> Plan:
    """Plans the data manifests of a task that `PlanParts.part_task` made of the same scan.

    The scan keeps the index of the deletes for the next part.

    Args:
        scan: The scan.
        data: The data manifests.
        deletes: All delete manifests, as `PlanParts.task` says them.
        threads: Threads that read.

    Raises:
        InvalidDataError: A manifest is damaged. The error names it.
        NotFoundError: A manifest is missing.
    """

def read_manifests(scan: Scan, task: bytes, threads: int | None = None) -> bytes:
    """Reads the manifests of a task that `PlanParts.task` made of the same scan.

    Raises:
        InvalidDataError: A manifest is damaged. The error names it.
        NotFoundError: A manifest is missing.
    """

def deleted_rows(plan: Plan, numbers: list[int]) -> Column:
    """The rows of each file that are deleted by position: the words of a bitmap, as a list of `int64`."""

@final
class BatchReader:
    """Batches in the order of the plan. Dropping it stops the work."""

    def next_batch(self) -> Batch | None:
        """The next batch; `None` after the last one.

        Raises:
            InvalidDataError: A file is damaged. The error names it.
            NotFoundError: A file is missing.
        """

    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send the `TaskGroup` or the `Scan`."""

@final
class Scan:
    """Rows and columns of one snapshot. Names, literals and the snapshot have been checked."""

    @property
    def is_incremental(self) -> bool:
        """Whether it reads only rows that appends added."""

    @property
    def is_encrypted(self) -> bool:
        """Whether the table is encrypted, with a service that unwraps its keys."""

    @property
    def is_planned_by_server(self) -> bool:
        """Whether the server of a catalog demands to plan it."""

    @property
    def is_pinned(self) -> bool:
        """Whether a snapshot, ref or time was chosen."""

    def branch_read(self) -> tuple[str | None, str, int | None] | None:
        """The table's UUID, the branch, and its snapshot; `None` where a snapshot, tag or time was chosen."""

    @property
    def limit(self) -> int | None:
        """The most rows that are read."""

    def with_case_sensitive(self, case_sensitive: bool) -> Scan:
        """The same rows, with names of columns found with or without regard to case.

        Raises:
            InvalidInputError: A name of the filter or a selected one is unknown, or means several columns.
        """

    def metadata_json(self) -> str:
        """The metadata of the table, as JSON."""

    def analyze(self) -> tuple[_Fields, _Fields]:
        """Reads all rows and drops them: the fields of `PlanningAnalysis` and of `ReadingAnalysis`."""

    def snapshots(self, summary_class: type[dict[str, str]], snapshot_id: int) -> list[_Snapshot]:
        """As `Table.snapshots` has them."""

    @property
    def snapshot_id(self) -> int | None:
        """The snapshot; `None` for an empty table."""

    def filter(self, row_filter: _Tree) -> Scan:
        """Adds a filter.

        Raises:
            InvalidInputError: A column is unknown, or a literal has a wrong type.
        """

    def row_filter(self) -> _Tree:
        """The filter, with literals of the columns' types."""

    def identity_sources(self) -> list[tuple[int, list[int]]]:
        """For each partition spec, the source fields of its identity transforms."""

    @property
    def table_location(self) -> str:
        """The location of the table, as its metadata says it."""

    @property
    def storage_option_names(self) -> list[str]:
        """The names of the options of stores that the table was opened with."""

    def select(self, field_names: list[str]) -> Scan:
        """Reads these columns. `*` is all but metadata columns.

        Raises:
            InvalidInputError: A column is unknown. The error names near matches.
        """

    def use_ref(self, name: str) -> Scan:
        """Reads a branch or a tag.

        Raises:
            NotFoundError: The table has no such ref.
        """

    def in_current_schema(self, snapshot_id: int) -> Scan:
        """Reads a snapshot with the table's current schema.

        Raises:
            NotFoundError: The table has no such snapshot.
        """

    def as_of(self, timestamp_ms: int) -> Scan:
        """Reads the snapshot that was current at a time, in milliseconds from 1970-01-01 UTC.

        Raises:
            NotFoundError: The table had no snapshot then.
        """

    def schema_json(self) -> str:
        """The schema that names are looked up in, as JSON. Spec: Appendix C."""

    def projection_json(self) -> str:
        """The columns that are read, as the JSON of a schema."""

    def arrow_schema(self, engine: str | None = None) -> ArrowSchema:
        """The Arrow schema of the rows in an engine schema.

        Raises:
            InvalidInputError: The engine schema does not exist.
            UnsupportedError: A column has no type there. The error names it.
        """

    def check_engine(self, engine: str) -> None:
        """Checks that every column has a type in an engine schema. Reads nothing.

        Raises:
            UnsupportedError: A column has no such type. The error names it.
        """

    def plan(self) -> Plan:
        """Begins to plan: reads the manifest list and the delete manifests.

        Raises:
            InvalidDataError: A manifest is damaged. The error names it.
            NotFoundError: A manifest is missing.
        """

    def explain_with_names(self) -> _Fields:
        """Plans. Gives the fields of `floeberg.scan.explain.Explain` with the names of files, nested ones as tuples."""

    def count(self) -> tuple[int, _Fields]:
        """Counts the rows.

        Returns:
            The number of rows, and how it was found: the other fields of an `AggregateResult`.
        """

    def extreme(self, column: str, largest: bool) -> tuple[_Literal | None, _Fields]:
        """Finds the smallest or the largest value of a column.

        Returns:
            The value as a literal, or `None` if no row has one; and how it was found, as for `count`.

        Raises:
            InvalidInputError: The column is unknown, its values have no order, or the scan has a limit.
        """

    def read_all(self) -> Batches:
        """Reads all rows into memory."""

    def stream(self) -> BatchReader:
        """Reads rows batch by batch, in bounded memory."""

    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> CapsuleType: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @staticmethod
    def _from_recipe(recipe: bytes) -> Scan:
        """Opens a pickled scan. Reads the table's metadata file."""

@final
class ChangelogScan:
    """What rows a range of snapshots changed. The range and the columns have been checked."""

    @staticmethod
    def of(
        scan: Scan,
        start: int | None,
        identifier_columns: list[str] | None,
        net: bool,
        only: int | None = None,
        updates: bool = True,
    ) -> ChangelogScan:
        """The changes after a snapshot, up to that of a scan; with `only`, those with this ordinal.

        Without `updates`, they are deletes and inserts alone.

        Raises:
            InvalidInputError: The start is not an ancestor of the end, a snapshot between them was expired, or a
                changelog cannot have a column.
            NotFoundError: The end does not exist.
        """

    def scan(self) -> Scan:
        """The scan of the end."""

    @property
    def start(self) -> int | None:
        """The snapshot after which changes are read."""

    @property
    def identifier_columns(self) -> list[str] | None:
        """The columns that identify a row, as they were named."""

    @property
    def is_net(self) -> bool:
        """Whether only the changes between the two ends are read."""

    def snapshots(self) -> list[tuple[int, int, bool]]:
        """The snapshots whose changes are read: the ordinal and the id of each, and whether it only added rows.

        They come oldest first. Of net changes there is one. No manifest is read.
        """

    def only(self, ordinal: int) -> ChangelogScan:
        """The changes with one ordinal."""

    def without_updates(self) -> ChangelogScan:
        """Deletes and inserts alone: rows with equal values are no change then, whatever their lineage."""

    @property
    def has_updates(self) -> bool:
        """Whether the changes of an updated row are `UPDATE_BEFORE` and `UPDATE_AFTER`."""

    def appended(self, ordinal: int) -> Plan | None:
        """The files that an append added, as the plan of a scan without deletes.

        `None` if the manifests of the snapshot do not prove that it only added files.
        """

    def plan(self) -> Batch:
        """The files with changed rows."""

    def read_all(self) -> Batches:
        """Reads all changes into memory."""

    def stream(self, engine: str | None = None) -> BatchReader:
        """Reads changes batch by batch, in an engine schema."""

    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> CapsuleType: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Plan:
    """The files of a scan, as columns. Data manifests are read when the plan is used."""

    def __len__(self) -> int:
        """The number of data files. Reads all data manifests."""

    @property
    def known_length(self) -> int | None:
        """The number of data files; `None` until all data manifests have been read."""

    def batches(self) -> BatchReader:
        """The columns, batch by batch, while later manifests are read."""

    def only(self, numbers: list[int]) -> Plan:
        """A plan of some of the files, by their numbers."""

    def task(self, number: int) -> _Task:
        """A task by its number, from 0.

        Raises:
            InvalidInputError: The plan has fewer tasks.
        """

    def delete_files(self) -> list[_Fields]:
        """The fields of each `DeleteFile`, in the order of the numbers in the column `delete_files`."""

    def residuals(self) -> list[_Tree]:
        """The different residuals, in the order of the numbers in the column `residual`."""

    def split(
        self,
        target_size: int | None = None,
        open_file_cost: int | None = None,
        lookback: int | None = None,
        most_groups: int | None = None,
        least_size: int | None = None,
    ) -> list[TaskGroup]:
        """Splits the plan into groups of tasks.

        Args:
            target_size: Bytes of a group. `None` takes `read.split.target-size` of the table.
            open_file_cost: Bytes that opening a file counts for. `None` takes `read.split.open-file-cost`.
            lookback: Groups that are open at a time. `None` takes `read.split.planning-lookback`.
            most_groups: Makes this many groups of about equal size, instead of groups of the target size.
            least_size: Bytes of a group, at least, with `most_groups`.

        Raises:
            InvalidInputError: A property that is needed is not a valid number.
        """

    def explain(self) -> _Fields:
        """The fields of `floeberg.scan.explain.Explain`, nested ones as tuples."""

    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> CapsuleType: ...
    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send the groups of `split`, or the `Scan`."""

@final
class PlanParts:
    """A plan whose manifests are read by tasks. After an error there is no next step."""

    def lengths(self, deletes: bool) -> list[int]:
        """The bytes of each data manifest, or of each delete manifest, that the filter keeps."""

    @property
    def data_bytes(self) -> int | None:
        """About how many bytes the data files of these manifests have, if the snapshot says it."""

    def part_task(self, start: int, end: int) -> bytes:
        """What `plan_part` needs to plan data manifests from `start` to `end`. It comes before `index`."""

    def shared(self) -> TaskGroup:
        """What the groups of the plan share: a group without tasks."""

    def modes(self) -> tuple[str, str]:
        """What the table's properties say of who reads data manifests and delete manifests.

        Raises:
            InvalidInputError: The value of a property is not `auto`, `local` or `distributed`.
        """

    def task(self, deletes: bool, start: int, end: int) -> bytes:
        """What a task needs to read manifests from `start` to `end`. Data manifests come after `index`."""

    def index(self, answers: list[bytes] | None = None) -> None:
        """Indexes the deletes that tasks read, in the order of their manifests. `None` reads them here."""

    def add(self, answer: bytes) -> None:
        """Adds the data files that the next task read.

        Raises:
            InternalError: The answer is not of the next manifests.
        """

    def finish(self) -> Plan:
        """The plan of all answers."""

    def here(self) -> Plan:
        """The plan of data manifests that are read here."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send its tasks."""

@final
class TaskGroup:
    """Tasks of a scan, with everything that is needed to read them. No metadata file or manifest is opened."""

    def __len__(self) -> int:
        """The number of tasks."""

    def task(self, number: int) -> _Task:
        """A task by its number, from 0.

        Raises:
            InvalidInputError: The group has fewer tasks.
        """

    def extent(self) -> tuple[int, int]:
        """The bytes of the data files, and the maximum number of rows, that the tasks read."""

    def read_all(self) -> Batches:
        """Reads all rows into memory."""

    def stream(self, engine: str | None = None, threads: int | None = None) -> BatchReader:
        """Reads rows batch by batch, in an engine schema.

        Args:
            engine: The engine whose types the rows get.
            threads: Threads that read. `None` takes `FLOEBERG_THREADS`, or all cores.

        Raises:
            InvalidInputError: The engine schema does not exist.
            UnsupportedError: A column has no type there. The error names it.
        """

    def arrow_schema(self, engine: str | None = None) -> ArrowSchema:
        """The Arrow schema of the rows in an engine schema. Raises as `stream`."""

    def without_storage(self) -> bytes:
        """The group without storage options: these bytes may be stored."""

    def beside(self, recipe: bytes) -> TaskGroup:
        """Reads a group of the same scan from `without_storage`, with the storage options of this one.

        Raises:
            InvalidInputError: The bytes are damaged.
        """

    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> CapsuleType: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @staticmethod
    def _from_recipe(recipe: bytes) -> TaskGroup:
        """Reads a pickled group. Opens no file.

        Raises:
            InvalidInputError: The bytes are damaged.
            UnsupportedError: A newer version of Floeberg wrote them.
        """
