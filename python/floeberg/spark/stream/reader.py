"""How does a table become the source of a stream?

Spark keeps one reader in a process on the driver's machine for as long as a query runs. It asks for the newest offset,
and for the partitions between two offsets. Tasks read partitions, as those of a batch read.

Invariant: the partitions between two offsets have the same rows however often they are asked for. What the reader
remembers is only for limits.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition

from floeberg.errors import InvalidInputError
from floeberg.spark.read.changes import CHANGE_COLUMNS, change_batches
from floeberg.spark.read.group_rows import group_batches, task_groups
from floeberg.spark.read.projection import Matching, names_to_read, output_fields
from floeberg.spark.session.worker_pickle import pickle_call
from floeberg.spark.stream.admission import AvailableNow, admitted, default_limit
from floeberg.spark.stream.changes import change_partitions
from floeberg.spark.stream.history import History
from floeberg.spark.stream.offset import StreamOffset
from floeberg.spark.stream.planning import StreamPlanning

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark.sql.types import StructType

    from floeberg.spark.read.options import ReadSettings
    from floeberg.spark.read.projection import OutputField
    from floeberg.spark.read.scan_request import ScanRequest, TableExpectation
    from floeberg.table import Table

__all__ = ["FloebergStreamReader", "StreamTaskReader"]

_OTHER_TABLE = (
    "the checkpoint is that of another table, with the UUID {}: this one was created in its place. Start a new query "
    "with a checkpoint of its own"
)


_CHANGES = frozenset(field.name for field in CHANGE_COLUMNS)


class StreamTaskReader(DataSourceStreamReader):
    """What tasks need of a reader.

    Args:
        settings: How rows are read.
    """

    def __init__(self, settings: ReadSettings) -> None:
        self._settings = settings

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a partition."""
        what, output, changes = partition.value
        if changes:
            return change_batches(what, output, self._settings)
        return group_batches(what, self._settings, output)

    def __reduce__(self) -> tuple[Any, ...]:
        return pickle_call(__name__, "StreamTaskReader", self._settings)


class FloebergStreamReader(StreamTaskReader, AvailableNow):  # type: ignore[misc] # PySpark before 4.2 lacks it
    """Reads what a table gets.

    Args:
        expectation: The table when the stream was defined.
        settings: How rows are read.
        schema: The columns of the stream.
        parallelism: The cores of the cluster, where they are known.
    """

    def __init__(
        self,
        expectation: TableExpectation,
        settings: ReadSettings,
        schema: StructType,
        parallelism: int | None,
    ) -> None:
        super().__init__(settings)
        self._expectation = expectation
        self._options = expectation.options
        self._schema = schema
        self._parallelism = parallelism
        self._opened: Table | None = None
        self._seen: StreamOffset | None = None
        self._last: tuple[int | None] | None = None

    @classmethod
    def of(cls, request: ScanRequest, schema: StructType, parallelism: int | None) -> FloebergStreamReader:
        """The reader of a request.

        Raises:
            InvalidInputError: An option chooses a snapshot.
        """
        expectation = request.expectation
        if expectation is None or expectation.options.start_snapshot_id is not None:
            raise InvalidInputError(
                "a stream reads a table from its oldest snapshot on, or from the option stream-from-timestamp on: "
                "leave out options that choose a snapshot"
            )
        return cls(expectation, request.settings, schema, parallelism)

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802 - Spark's name
        """The place before the first snapshot."""
        return StreamOffset(self._expectation.table or "").as_json()

    def latestOffset(self, start: dict[str, Any] | None = None, limit: object = None) -> dict[str, Any]:  # noqa: N802
        """The end of the next micro-batch.

        Args:
            start: Where it starts. PySpark before 4.2 does not give it: then it is the last known end. Spark shows
                a query that goes on the end of its last micro-batch.
            limit: How much Spark admits.
        """
        given = self.initialOffset() if start is None and self._seen is None else start
        at = self._seen if given is None else StreamOffset.of(given)
        if at is None:
            raise AssertionError
        table = self._table(at)
        history = self._history(table)
        last = history.head if self._last is None else self._last[0]
        if last is None or (self._last is not None and _is_beyond(history, at, last)):
            return at.as_json()
        end = self._planning(table).advance(history, at, last, admitted(self._options.stream, limit))
        self._seen = end
        return end.as_json()

    def getDefaultReadLimit(self) -> Any:  # noqa: ANN401, N802 - a `ReadLimit`
        """The limits of the options."""
        return default_limit(self._options.stream)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Notes the newest snapshot. Later ones are not read."""
        self._last = (self._history(self._table()).head,)

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """Plans what is between two offsets."""
        first, last = StreamOffset.of(start), StreamOffset.of(end)
        self._seen = last
        if start == end:
            return []
        table = self._table(first, last)
        planning, output = self._columns(self._planning(table))
        pieces = self._history(table).pieces(first, last)
        if self._options.stream.changelog:
            return change_partitions(planning, pieces, output, self._settings, self._parallelism)
        return [
            InputPartition((group._inner, output, False))  # noqa: SLF001 - the package's own
            for _, plan in planning.plans(pieces)
            for group in task_groups(plan, self._settings, self._parallelism)
        ]

    def _columns(self, planning: StreamPlanning) -> tuple[StreamPlanning, tuple[OutputField, ...] | None]:
        """A planning of the stream's columns, and how their batches come out.

        Raises:
            InvalidInputError: A column was dropped or is another one now.
        """
        settings, is_changelog = self._settings, self._options.stream.changelog
        matching = Matching(settings.case_sensitive, settings.truncate_nanoseconds)
        added = CHANGE_COLUMNS if is_changelog else ()
        scan = replace(planning, names=self._options.columns or ("*",)).now()
        self._expectation.check_columns(scan)
        fields = scan.projection().fields
        if is_changelog:
            # A changelog has whole columns.
            wanted = [each.name for each in self._schema if each.name not in _CHANGES]
            planning = replace(planning, names=tuple(wanted) or ("*",))
        else:
            planning = replace(planning, names=tuple(names_to_read(fields, self._schema, matching)))
        return planning, output_fields((*planning.now().projection().fields, *added), self._schema, matching)

    def _planning(self, table: Table) -> StreamPlanning:
        return StreamPlanning(table, self._options, self._settings.case_sensitive)

    def _history(self, table: Table) -> History:
        return History.of(table, self._options.branch, self._options.stream)

    def _table(self, *offsets: StreamOffset) -> Table:
        """The table as it is now.

        Raises:
            InvalidInputError: It is another table than that of the stream, or of one of the offsets.
        """
        if self._opened is None:
            self._opened = self._options.locator.open()
            self._expectation.check_table(self._opened)
        else:
            self._opened.refresh()
        for each in offsets:
            if each.table != (self._expectation.table or ""):
                raise InvalidInputError(_OTHER_TABLE.format(each.table))
        return self._opened


def _is_beyond(history: History, at: StreamOffset, last: int) -> bool:
    """Whether an offset is after the last snapshot that may be read."""
    if at.snapshot_id is None or at.snapshot_id == last:
        return False
    return any(each.snapshot_id == last for each in history.ancestors(at.snapshot_id))
