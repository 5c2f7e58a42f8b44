"""How are the files of a table partitioned?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg._display import facts_html, rows_html
from floeberg.transforms import (
    DayTransform,
    IdentityTransform,
    Transform,
    TruncateTransform,
    UnknownTransform,
    VoidTransform,
    parse_transform,
)
from floeberg.types._fields import IcebergType, NestedField, StructType
from floeberg.types._frozen import called, id_of, ids_of, set_frozen
from floeberg.types._primitives import DateType, IntegerType, StringType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from floeberg.types._schema import Schema


@dataclass(frozen=True, init=False, repr=False)
class PartitionField:
    """A field of a partition spec.

    Args:
        source_id: The source column, or several for a transform of several columns.
        field_id: The id of the partition field, from 1000; a new table assigns its own.
        transform: The transform, as the specification writes it: `bucket[16]`, `day`; or a class of
            `floeberg.transforms`.
        name: The name of the partition field.

    Examples:
        >>> str(PartitionField(source_id=2, field_id=1000, transform="day", name="ts_day"))
        '1000: ts_day: day(2)'
    """

    source_ids: tuple[int, ...]
    field_id: int
    transform: Transform
    name: str

    def __init__(
        self, source_id: int | Iterable[int], field_id: int, transform: str | Transform, name: str
    ) -> None:
        set_frozen(
            self,
            source_ids=ids_of(source_id),
            field_id=field_id,
            transform=parse_transform(transform),
            name=name,
        )

    @property
    def source_id(self) -> int:
        """The source column, or the first of them."""
        return self.source_ids[0]

    def __str__(self) -> str:
        return f"{self.field_id}: {self.name}: {self.transform}({', '.join(map(str, self.source_ids))})"

    def __repr__(self) -> str:
        return called(
            self,
            source_id=id_of(self.source_ids),
            field_id=self.field_id,
            transform=str(self.transform),
            name=self.name,
        )


@dataclass(frozen=True, init=False, repr=False)
class PartitionSpec:
    """How files are partitioned.

    Args:
        fields: The partition fields, in order.
        spec_id: The id; a new table assigns its own.

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

    @property
    def last_assigned_field_id(self) -> int:
        """The highest id of a partition field; 999 for an unpartitioned spec."""
        return max((each.field_id for each in self.fields), default=PARTITION_FIELD_ID_START - 1)

    def fields_by_source_id(self, source_id: int) -> list[PartitionField]:
        """The partition fields of a source column.

        Args:
            source_id: The id of the column.

        Returns:
            The fields, in order.
        """
        return [each for each in self.fields if source_id in each.source_ids]

    def partition_type(self, schema: Schema) -> StructType:
        """The type of partition values.

        Args:
            schema: The schema that has the columns.

        Returns:
            A struct with a field for each partition field.

        Raises:
            InvalidInputError: The schema lacks a column.

        Examples:
            >>> spec = PartitionSpec(PartitionField(1, 1000, "bucket[16]", "shard"))
            >>> str(spec.partition_type(Schema(NestedField(1, "id", "long"))))
            'struct<1000: shard: optional int>'
        """
        return StructType(
            tuple(
                NestedField(
                    each.field_id, each.name, _result(each.transform, schema.find_type(each.source_id))
                )
                for each in self.fields
            )
        )

    def __str__(self) -> str:
        lines = "".join(f"\n  {each}" for each in self.fields)
        return f"[{lines}\n]" if lines else "[]"

    def _repr_html_(self) -> str:
        rows = [
            (each.field_id, each.name, each.transform, ", ".join(map(str, each.source_ids)))
            for each in self.fields
        ]
        title = f"PartitionSpec {self.spec_id}"
        if not rows:
            return facts_html(f"{title}: unpartitioned", {})
        return facts_html(title, {}, rows_html(("id", "field", "transform", "source ids"), rows))

    def __repr__(self) -> str:
        return called(self, *self.fields, spec_id=self.spec_id)


def _result(transform: Transform, source: IcebergType) -> IcebergType:
    """The result type of a transform."""
    if isinstance(transform, (IdentityTransform, TruncateTransform, VoidTransform)):
        return source
    if isinstance(transform, DayTransform):
        return DateType()
    return StringType() if isinstance(transform, UnknownTransform) else IntegerType()


INITIAL_PARTITION_SPEC_ID = 0
PARTITION_FIELD_ID_START = 1000
UNPARTITIONED_PARTITION_SPEC = PartitionSpec(spec_id=INITIAL_PARTITION_SPEC_ID)
