"""How are the files of a table partitioned?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg.types._frozen import called, id_of, ids_of, set_frozen

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, init=False, repr=False)
class PartitionField:
    """A partition value and how it is made.

    Args:
        source_id: The column that it is made of, or several for a transform of several columns.
        field_id: The id of the partition field, 1000 and up; a new table gives its own.
        transform: As the specification writes it: `bucket[16]`, `day`.
        name: The name of the partition value.

    Examples:
        >>> str(PartitionField(source_id=2, field_id=1000, transform="day", name="ts_day"))
        '1000: ts_day: day(2)'
    """

    source_ids: tuple[int, ...]
    field_id: int
    transform: str
    name: str

    def __init__(self, source_id: int | Iterable[int], field_id: int, transform: str, name: str) -> None:
        set_frozen(self, source_ids=ids_of(source_id), field_id=field_id, transform=str(transform), name=name)

    @property
    def source_id(self) -> int:
        """The column that it is made of, or the first of them."""
        return self.source_ids[0]

    def __str__(self) -> str:
        return f"{self.field_id}: {self.name}: {self.transform}({', '.join(map(str, self.source_ids))})"

    def __repr__(self) -> str:
        return called(
            self,
            source_id=id_of(self.source_ids),
            field_id=self.field_id,
            transform=self.transform,
            name=self.name,
        )


@dataclass(frozen=True, init=False, repr=False)
class PartitionSpec:
    """How files are partitioned.

    Args:
        fields: The partition fields, in order.
        spec_id: The id; a new table gives its own.

    Examples:
        >>> PartitionSpec(PartitionField(1, 1000, "identity", "id")).is_unpartitioned()
        False
    """

    spec_id: int
    fields: tuple[PartitionField, ...]

    def __init__(self, *fields: PartitionField, spec_id: int = 0) -> None:
        set_frozen(self, spec_id=spec_id, fields=fields)

    def is_unpartitioned(self) -> bool:
        """Whether it has no fields, or only void ones."""
        return all(each.transform == "void" for each in self.fields)

    def __repr__(self) -> str:
        return called(self, *self.fields, spec_id=self.spec_id)
