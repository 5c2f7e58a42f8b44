"""Which table does a statement change, and on which branch?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.spark.sql.frames import is_case_sensitive

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

    from floeberg.scan import Scan
    from floeberg.spark.sql.grammar import Target
    from floeberg.spark.sql.known_tables import Found, KnownTables
    from floeberg.table import Table

__all__ = ["ChangedTable"]


@dataclass(frozen=True)
class ChangedTable:
    """A table that a statement changes.

    Args:
        found: The table.
        target: How the statement names it.
        branch: The branch.
        case_sensitive: Whether the case of names of columns counts.
    """

    found: Found
    target: Target
    branch: str
    case_sensitive: bool

    @classmethod
    def of(cls, spark: SparkSession, known: KnownTables, target: Target) -> ChangedTable:
        """The table that a statement names.

        Raises:
            InvalidInputError: The name is that of a metadata table, a tag or a snapshot; or of another branch than
                `spark.wap.branch`.
            NotFoundError: The branch does not exist.
        """
        found = known.find(target.parts)
        name = ".".join(target.parts)
        if found is None:
            raise InvalidInputError(f"{name!r} is not a table of the catalog")
        if found.metadata is not None or found.snapshot_id is not None or found.timestamp_ms is not None:
            raise InvalidInputError(f"{name!r} cannot be changed: name the table, or a branch of it")
        kind, named = ("branch", None) if found.ref is None else found.ref
        if kind != "branch":
            raise InvalidInputError(f"{name!r} is a {kind}, which cannot be changed: name a branch")
        branch = found.table._branch_to_write(named)  # noqa: SLF001 - the package's own
        changed = cls(found, target, branch, is_case_sensitive(spark))
        if named is not None:
            # A write makes no branch that it names, unlike that of an audit.
            _ = changed.scan
        return changed

    @property
    def table(self) -> Table:
        """The table."""
        return self.found.table

    @property
    def relation(self) -> str:
        """The table as it stands after FROM."""
        alias = self.target.alias
        return self.target.text if alias is None else f"{self.target.text} AS {quoted(alias)}"

    @property
    def visible(self) -> str:
        """What its columns are qualified with, in quotes."""
        return quoted(self.target.visible)

    @property
    def scan(self) -> Scan:
        """What is read of it."""
        scan = self.table.scan(case_sensitive=self.case_sensitive)
        return scan if self.branch == "main" or self.found.ref is None else scan.use_ref(self.branch)

    @property
    def read_snapshot_id(self) -> int | None:
        """The snapshot that is read."""
        return self.scan.snapshot_id

    def spark_schema(self) -> StructType:
        """Its columns in Spark.

        Raises:
            UnsupportedError: Spark has no type for a column, whose values would be lost.
        """
        from floeberg.spark.read.types import spark_struct  # noqa: PLC0415 - it imports PySpark

        return spark_struct(self.table.schema().fields, truncate_nanoseconds=False)

    def column(self, parts: Sequence[str], word: str) -> str:
        """The column that a name before `=` means.

        Args:
            parts: The name, with or without that of the table.
            word: The statement, for errors.

        Raises:
            InvalidInputError: The table has no such column.
            UnsupportedError: The name is that of a field of a struct.
        """
        names = [each.name for each in self.table.schema().fields]
        qualifier, last = tuple(parts[:-1]), parts[-1]
        full = (self.target.visible,) if self.target.alias is not None else self.found.full
        is_own = not qualifier or self._folded(full[-len(qualifier) :]) == self._folded(qualifier)
        if is_own:
            alike = [name for name in names if self._folded((name,)) == self._folded((last,))]
            if len(alike) == 1:
                return alike[0]
            if alike:
                raise InvalidInputError(f"{word}: the table has {len(alike)} columns {last!r}")
        if len(parts) > 1 and self._folded((parts[0],))[0] in self._folded(names):
            raise UnsupportedError(
                f"{word}: {'.'.join(parts)}: fields of structs cannot be set alone: set the column, with named_struct"
            )
        raise InvalidInputError(
            f"{word}: the table has no column {'.'.join(parts)!r}: expected one of {', '.join(map(repr, names))}"
        )

    def _folded(self, parts: Sequence[str]) -> tuple[str, ...]:
        return tuple(parts) if self.case_sensitive else tuple(map(str.lower, parts))


def quoted(name: str) -> str:
    """A name in backticks."""
    return f"`{name.replace('`', '``')}`"
