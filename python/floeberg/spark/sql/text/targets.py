"""Which table does a statement change, and on which branch?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError
from floeberg.spark.session.conf import is_case_sensitive
from floeberg.spark.session.names import folding, quoted
from floeberg.types import StructType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType as SparkStruct

    from floeberg.scan import Scan
    from floeberg.spark.sql.text.grammar import Target
    from floeberg.spark.sql.text.known_tables import Found, KnownTables
    from floeberg.table import Table
    from floeberg.types import NestedField

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
    def full(self) -> tuple[str, ...]:
        """By what its columns may be qualified: its whole name, or another one that it is given."""
        return self.found.full if self.target.alias is None else (self.target.alias,)

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

    def spark_schema(self) -> SparkStruct:
        """Its columns in Spark.

        Raises:
            UnsupportedError: Spark has no type for a column, whose values would be lost.
        """
        from floeberg.spark.read.types import spark_struct  # noqa: PLC0415 - it imports PySpark

        return spark_struct(self.table.schema().fields, truncate_nanoseconds=False)

    def column(self, parts: Sequence[str], word: str) -> str:
        """The column that a name means.

        Args:
            parts: The name, with or without that of the table.
            word: The statement, for errors.

        Raises:
            InvalidInputError: The table has no such column.
        """
        path = self.path(parts, word)
        if len(path) > 1:
            raise InvalidInputError(
                f"{word}: {'.'.join(parts)}: expected a column, found a field of a struct"
            )
        return path[0]

    def path(self, parts: Sequence[str], word: str) -> tuple[str, ...]:
        """The column that a name means, and the field of a struct in it.

        Args:
            parts: The name, with or without that of the table.
            word: The statement, for errors.

        Raises:
            InvalidInputError: The table has no such column, or the struct no such field.
        """
        # What may be the name of the table is it, as in Spark.
        for length in range(len(parts) - 1, -1, -1):
            qualifier = tuple(parts[:length])
            if qualifier and self._folded(self.full[-length:]) != self._folded(qualifier):
                continue
            found = self._among(self.table.schema().fields, parts[length], word)
            if found is not None:
                return found.name, *self._fields(found, parts[length + 1 :], word)
        names = [each.name for each in self.table.schema().fields]
        raise InvalidInputError(
            f"{word}: the table has no column {'.'.join(parts)!r}: expected one of {', '.join(map(repr, names))}"
        )

    def _fields(self, above: NestedField, parts: Sequence[str], word: str) -> tuple[str, ...]:
        """The fields of structs below a column, by their names in the table."""
        if not parts:
            return ()
        fields = above.field_type.fields if isinstance(above.field_type, StructType) else ()
        found = self._among(fields, parts[0], word)
        if found is None:
            raise InvalidInputError(f"{word}: {above.name!r} has no field {parts[0]!r}")
        return found.name, *self._fields(found, parts[1:], word)

    def _among(self, fields: Sequence[NestedField], name: str, word: str) -> NestedField | None:
        alike = [each for each in fields if self._folded((each.name,)) == self._folded((name,))]
        if len(alike) > 1:
            raise InvalidInputError(f"{word}: the table has {len(alike)} columns {name!r}")
        return alike[0] if alike else None

    def _folded(self, parts: Sequence[str]) -> tuple[str, ...]:
        return tuple(map(folding(case_sensitive=self.case_sensitive), parts))
