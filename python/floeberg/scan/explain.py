"""What did planning read, what did it drop, and why?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from floeberg._display import bytes_shown, facts_html, rows_html

if TYPE_CHECKING:
    import pyarrow as pa

    from floeberg.scan.analysis import Analysis, RowsAnalysis

__all__ = ["AggregateResult", "Deletes", "Dropped", "Explain", "Lane", "Manifests", "Sizes", "Stage"]


@dataclass(frozen=True)
class Dropped:
    """Why some manifests, files, or pairs of a file and a delete were dropped.

    Args:
        by: The test of the filter, or the counts that decide.
        reason: The reason: `partition value`, `bounds`, `null count` and others.
        count: The number of them.
        columns: The names of the columns that the test reads.
        files: With `verbose`, their paths as written, sorted; for pairs, the paths of the deletes.
    """

    by: str
    reason: str
    count: int
    columns: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class Stage:
    """A stage of planning. `kept` and the counts of `dropped` add up to `entered`.

    Args:
        name: What was tested.
        entered: How many entered the stage.
        dropped: What was dropped, and why.
        kept: How many are left.
    """

    name: str
    entered: int
    dropped: tuple[Dropped, ...]
    kept: int


@dataclass(frozen=True)
class Manifests:
    """The manifests that were read.

    Args:
        data: How many list data files.
        deletes: How many list delete files.
        size_in_bytes: Their total size in bytes, from the manifest list.
        files: Their paths as written, with `verbose`.
    """

    data: int
    deletes: int
    size_in_bytes: int
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class Deletes:
    """The deletes of one kind that apply to files of the plan.

    Args:
        content: Their kind.
        files: Delete files, or deletion vectors, each counted once.
        records: Deletes in them.
        size_in_bytes: Their size in bytes; for deletion vectors, the size of the blobs.
        data_files: Data files that they apply to.
    """

    content: Literal["position", "equality", "vector"]
    files: int
    records: int
    size_in_bytes: int
    data_files: int

    def __str__(self) -> str:
        """The deletes as a line of text."""
        names = {"position": "position deletes", "equality": "equality deletes", "vector": "deletion vectors"}
        return (
            f"{self.files:,} {names[self.content]}, {self.records:,} rows, {self.size_in_bytes:,} bytes, "
            f"for {self.data_files:,} data files"
        )


@dataclass(frozen=True)
class Sizes:
    """Sizes of the data files to read, in bytes.

    Args:
        smallest: The smallest.
        median: The median.
        largest: The largest.
    """

    smallest: int
    median: int
    largest: int


@dataclass(frozen=True)
class AggregateResult:
    """A count, a minimum or a maximum, and how it was found.

    Each data file of the plan was answered from metadata, was not needed, or was read.

    Args:
        of: The aggregate: `count`, `min(v)` or `max(v)`.
        value: The result.
        files: Data files of the plan.
        by_metadata: Files whose counts and bounds were enough.
        not_needed: Files that could not change the result.
        read: Why other files had to be read, and how many: `filter`, `bounds`, `equality deletes` and others.

    Examples:
        >>> table.scan(row_filter="id > 3").explain(count=True).aggregates[0].read
        (('filter', 2),)
    """

    of: str
    value: Any
    files: int
    by_metadata: int
    not_needed: int
    read: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        """The aggregate as a line of text."""
        reasons = ", ".join(f"{count:,} for {why}" for why, count in self.read) or "none"
        return (
            f"{self.of} = {self.value}: of {self.files:,} data files {self.by_metadata:,} by metadata, "
            f"{self.not_needed:,} not needed, read {reasons}"
        )


@dataclass(frozen=True)
class Lane:
    """Data files that Spark reads in the same way.

    Args:
        reader: `native` is Spark's own Parquet reader, `arrow` is Floeberg's.
        reason: Why this reader reads them.
        files: How many.
    """

    reader: str
    reason: str
    files: int

    def __str__(self) -> str:
        """The files as a line of text."""
        return f"in Spark by {self.reader}: {self.files:,} data files: {self.reason}"


@dataclass(frozen=True, repr=False)
class Explain:
    """What planning did.

    Args:
        snapshot_id: The snapshot that was planned; `None` for an empty table.
        filter: The filter, as bound to the schema.
        stages: The stages of planning, in order.
        manifests: The manifests that were read.
        deletes: The deletes that apply to files of the plan, by kind. Kinds without deletes are omitted.
        data_files: Data files to read.
        records: Rows in them, before deletes and filter.
        size_in_bytes: Bytes in them.
        sizes: Their sizes; `None` for no files.
        files: Their paths as written, in plan order, with `verbose`.
        aggregates: The counts, minimums and maximums that were requested from `Scan.explain`.
        lanes: How Spark would read the data files, where a session was given.
        analysis: Where the time went and what was read, with `analyze`; for a plan, what reading its rows took.

    Examples:
        >>> explain = table.scan(row_filter="id > 3").explain()
        >>> explain.stages[-1].dropped
        (Dropped(by='id > 3', reason='bounds', count=1, columns=('id',), files=()),)
    """

    snapshot_id: int | None
    filter: str
    stages: tuple[Stage, ...]
    manifests: Manifests
    deletes: tuple[Deletes, ...]
    data_files: int
    records: int
    size_in_bytes: int
    sizes: Sizes | None
    files: tuple[str, ...] = ()
    aggregates: tuple[AggregateResult, ...] = ()
    lanes: tuple[Lane, ...] = ()
    analysis: Analysis | RowsAnalysis | None = None

    @property
    def position_deletes(self) -> int:
        """Position delete files that apply to a file of the plan."""
        return self._deletes("position")

    @property
    def equality_deletes(self) -> int:
        """Equality delete files that apply to a file of the plan."""
        return self._deletes("equality")

    @property
    def deletion_vectors(self) -> int:
        """Deletion vectors that apply to a file of the plan."""
        return self._deletes("vector")

    def _deletes(self, content: str) -> int:
        return sum(each.files for each in self.deletes if each.content == content)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        stages = [
            (each.name, f"{each.entered:,}", f"{each.kept:,}", _why(each.dropped)) for each in self.stages
        ]
        looked = self.manifests
        facts = {
            "snapshot": self.snapshot_id,
            "filter": self.filter,
            "to read": f"{self.data_files:,} data files, {self.records:,} rows, {bytes_shown(self.size_in_bytes)}",
            "looked into": f"{looked.data:,} data manifests, {looked.deletes:,} delete manifests, "
            f"{bytes_shown(looked.size_in_bytes)}",
            "with": "; ".join(map(str, self.deletes)) or None,
            "aggregates": "; ".join(map(str, self.aggregates)) or None,
            "lanes": "; ".join(map(str, self.lanes)) or None,
            "analysis": None if self.analysis is None else str(self.analysis).replace("\n", "; "),
        }
        columns = ("stage", "entered", "kept", "left out")
        return facts_html("Explain", facts, rows_html(columns, stages, numbers=(1, 2)))

    def to_dict(self) -> dict[str, Any]:
        """The result as dicts, lists and scalars, for programs."""
        return asdict(self)

    def to_arrow(self) -> pa.Table:
        """Returns the stages as a table. Each stage has a row for what was kept, and a row for each reason to drop.

        `stage` (its number, from 0), `name`, `entered`, `outcome` (`kept` or `dropped`), `count`, `reason`, `by`,
        `columns` and `files` (as in `Dropped`). The counts of a stage add up to what entered it.

        Returns:
            A `pyarrow.Table`.

        Examples:
            >>> stages = table.scan(row_filter="id > 3").explain().to_arrow()
            >>> stages.select(["outcome", "count", "reason", "by"]).to_pylist()[-1]
            {'outcome': 'dropped', 'count': 1, 'reason': 'bounds', 'by': 'id > 3'}
        """
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        names = pa.list_(pa.string())
        schema = pa.schema(
            [
                pa.field("stage", pa.int32(), nullable=False),
                pa.field("name", pa.string(), nullable=False),
                pa.field("entered", pa.int64(), nullable=False),
                pa.field("outcome", pa.string(), nullable=False),
                pa.field("count", pa.int64(), nullable=False),
                pa.field("reason", pa.string()),
                pa.field("by", pa.string()),
                pa.field("columns", names, nullable=False),
                pa.field("files", names, nullable=False),
            ]
        )
        rows = []
        for number, stage in enumerate(self.stages):
            here = {"stage": number, "name": stage.name, "entered": stage.entered}
            rows.append(here | {"outcome": "kept", "count": stage.kept, "columns": [], "files": []})
            rows.extend(here | {"outcome": "dropped"} | asdict(each) for each in stage.dropped)
        return pa.Table.from_pylist(rows, schema=schema)

    def __str__(self) -> str:
        """The result as text, for people."""
        lines = [f"snapshot {self.snapshot_id}", f"filter   {self.filter}"]
        width = max((len(stage.name) for stage in self.stages), default=0)
        for stage in self.stages:
            lines.append(f"{stage.name:<{width}}  {stage.entered:>9,} -> {stage.kept:,}")
            for each in stage.dropped:
                lines.append(f"  - {each.count:,} by {each.reason}: {each.by}")
                lines.extend(f"      {file}" for file in each.files)
        looked = self.manifests
        lines.append(
            f"looked into: {looked.data:,} data manifests, {looked.deletes:,} delete manifests, "
            f"{looked.size_in_bytes:,} bytes"
        )
        lines.extend(f"      {file}" for file in looked.files)
        lines.append(
            f"to read: {self.data_files:,} data files, {self.records:,} rows, {self.size_in_bytes:,} bytes"
        )
        if self.sizes is not None:
            sizes = self.sizes
            lines.append(
                f"  smallest {sizes.smallest:,}, median {sizes.median:,}, largest {sizes.largest:,} bytes"
            )
        lines.extend(f"      {file}" for file in self.files)
        lines.extend(f"  with {each}" for each in self.deletes)
        lines.extend(map(str, (*self.aggregates, *self.lanes)))
        if self.analysis is not None:
            lines.append(str(self.analysis))
        return "\n".join(lines)


def _why(dropped: tuple[Dropped, ...]) -> str | None:
    return "; ".join(f"{each.count:,} by {each.reason}: {each.by}" for each in dropped) or None


def explain_of(account: dict[str, Any]) -> Explain:
    """The result of `floeberg._native`, whose parts are tuples of their fields."""
    manifest_files, sizes = account.pop("manifest_files", ()), account["sizes"]
    data, deletes, size_in_bytes = account["manifests"]
    return Explain(
        **{
            **account,
            "stages": tuple(
                Stage(name, entered, tuple(map(_dropped, dropped)), kept)
                for name, entered, dropped, kept in account["stages"]
            ),
            "manifests": Manifests(data, deletes, size_in_bytes, tuple(manifest_files)),
            "deletes": tuple(Deletes(*each) for each in account["deletes"]),
            "sizes": None if sizes is None else Sizes(*sizes),
            "files": tuple(account.get("files", ())),
        }
    )


def _dropped(fields: tuple[str, str, int, list[str], list[str]]) -> Dropped:
    by, reason, count, columns, files = fields
    return Dropped(by, reason, count, tuple(columns), tuple(files))
