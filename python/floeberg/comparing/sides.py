"""What is a table, of whichever format, where it is compared with another one?"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from floeberg import _native
from floeberg._secrets import without_secrets
from floeberg.errors import NotFoundError
from floeberg.scan.scan import Scan
from floeberg.types._from_json import read_sort_order, read_spec
from floeberg.types._schema import walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.comparing.settings import LanceField
    from floeberg.types import PartitionSpec, SortOrder
    from floeberg.types._fields import NestedField

__all__ = ["Comparable", "ComparedTable", "IcebergSide", "expected_metadata"]


class Comparable(ABC):
    """A table that can be compared with another one: a `floeberg.Table` or a `floeberg.LanceTable`."""

    @abstractmethod
    def _side(self) -> ComparedTable:
        """The table at the snapshot that it is opened at."""


class ComparedTable(ABC):
    """The rows and settings of a table at one snapshot. It can be pickled."""

    format_name: str
    """`Iceberg` or `Lance`."""

    @property
    @abstractmethod
    def scan(self) -> _native.Scan | _native.LanceScan:
        """Its rows."""

    @property
    @abstractmethod
    def snapshot_id(self) -> int | None:
        """The snapshot; of a Lance table the version."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What a title calls it."""

    @abstractmethod
    def with_filter(self, tree: Any) -> ComparedTable:  # noqa: ANN401 - a tree of the native module
        """Only rows that match."""

    @abstractmethod
    def identity(self) -> object:
        """Equal for sides that have the same rows, because they are the same snapshot of the same table."""

    @abstractmethod
    def own_key(self) -> list[str]:
        """The columns that identify a row, as the table says it; none where it does not."""

    @abstractmethod
    def pages(self) -> object | None:
        """What decodes its data files, where Python does."""

    @abstractmethod
    def fields(self) -> Mapping[str, NestedField | LanceField]:
        """Its columns and their parts, by their whole names."""

    @abstractmethod
    def spec(self) -> tuple[object, PartitionSpec] | None:
        """What the default spec means by names of columns, and the spec."""

    @abstractmethod
    def sort_order(self) -> tuple[object, SortOrder] | None:
        """What the default sort order means by names of columns, and the order."""

    @abstractmethod
    def properties(self) -> Mapping[str, str]:
        """Its properties."""


def expected_metadata(found: str | None, snapshot_id: int | None) -> dict[str, Any]:
    """The metadata that was written with a snapshot.

    Raises:
        NotFoundError: It is not known any more.
    """
    if found is None:
        raise NotFoundError(
            f"the metadata file that was written with snapshot {snapshot_id} is not known: the metadata log does "
            "not name it any more, or it was removed. Specs, sort orders and properties cannot be compared"
        )
    return cast("dict[str, Any]", json.loads(found))


@dataclass(frozen=True)
class IcebergSide(ComparedTable):
    """An Iceberg table at a snapshot.

    Attributes:
        rows: The scan of its rows.
        location: Where the table is.
        table_uuid: The id of the table.
        then: The snapshot with whose metadata settings are compared; `None` is the metadata of the table as it is.
    """

    rows: _native.Scan
    location: str
    table_uuid: str
    then: int | None

    format_name = "Iceberg"

    @property
    def scan(self) -> _native.Scan:
        """Its rows."""
        return self.rows

    @property
    def snapshot_id(self) -> int | None:
        """The snapshot; of a Lance table the version."""
        return self.rows.snapshot_id

    @property
    def name(self) -> str:
        """What a title calls it."""
        return f"{without_secrets(self.location)}, snapshot {self.snapshot_id}"

    def with_filter(self, tree: Any) -> IcebergSide:  # noqa: ANN401 - a tree of the native module
        """Only rows that match."""
        return replace(self, rows=self.rows.filter(tree))

    def identity(self) -> object:
        """Equal for sides that have the same rows, because they are the same snapshot of the same table."""
        return self.format_name, self.location, self.table_uuid, self.snapshot_id, Scan(self.rows).schema()

    def own_key(self) -> list[str]:
        """The columns that identify a row, as the table says it; none where it does not."""
        schema = Scan(self.rows).schema()
        names = schema.identifier_field_names()
        own = [field.name for field in schema.fields if field.field_id in schema.identifier_field_ids]
        return own if len(own) == len(names) else []

    def pages(self) -> None:
        """What decodes its data files, where Python does."""
        return

    def fields(self) -> Mapping[str, NestedField | LanceField]:
        """Its columns and their parts, by their whole names."""
        return dict(walk(Scan(self.rows).schema().fields))

    def spec(self) -> tuple[object, PartitionSpec]:
        """What the default spec means by names of columns, and the spec."""
        state = self._state()
        specs = {each.spec_id: each for each in map(read_spec, state["partition-specs"])}
        found, names = specs[state["default-spec-id"]], self._names()
        return [(names(each.source_id), str(each.transform), each.name) for each in found.fields], found

    def sort_order(self) -> tuple[object, SortOrder]:
        """What the default sort order means by names of columns, and the order."""
        state = self._state()
        orders = {each.order_id: each for each in map(read_sort_order, state["sort-orders"])}
        found, names = orders[state["default-sort-order-id"]], self._names()
        meaning = [
            (names(each.source_id), str(each.transform), each.direction, each.null_order)
            for each in found.fields
        ]
        return meaning, found

    def properties(self) -> Mapping[str, str]:
        """Its properties."""
        return cast("Mapping[str, str]", self._state().get("properties", {}))

    def _names(self) -> Any:  # noqa: ANN401 - a function
        known = {field.field_id: name for name, field in walk(Scan(self.rows).schema().fields)}
        return lambda number: known.get(number, number)

    def _from_nothing(self) -> _native.TableDiff:
        """The difference from an empty table."""
        return _native.TableDiff.of(self.rows.select(["*"]), None, None)

    def _state(self) -> dict[str, Any]:
        inner = self._from_nothing()
        found = inner.metadata_now() if self.then is None else inner.metadata_then(self.then)
        return expected_metadata(found, self.then)
