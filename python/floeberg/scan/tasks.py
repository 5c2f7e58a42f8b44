"""What is read of one data file, and which deletes apply?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from floeberg._pyiceberg_names import SpelledLikePyIceberg
from floeberg.expressions._literals import from_tree
from floeberg.expressions._parsing import expression_of_tree

if TYPE_CHECKING:
    from floeberg._native.scan import _Task
    from floeberg.expressions import Expression

__all__ = ["DataFile", "DeleteFile", "FileScanTask", "task_of"]

FileFormat = Literal["avro", "orc", "parquet", "puffin"]


class PartitionValues(dict[str, Any]):
    """Partition values by the names of the spec's fields; by their places too, as PyIceberg's records have them."""

    def __getitem__(self, name: str | int) -> Any:  # noqa: ANN401 - values of any type
        if isinstance(name, int):
            return list(self.values())[name]
        return super().__getitem__(name)


@dataclass(frozen=True)
class DataFile(SpelledLikePyIceberg):
    """A data file of a plan.

    Args:
        file_path: The location as the table wrote it.
        location: The location to open, after `relocate`.
        file_format: The format.
        spec_id: The partition spec of the file.
        partition: Partition values by the names of the spec's fields.
        record_count: The number of rows, including deleted ones.
        file_size_in_bytes: Bytes, as the metadata says.
        data_sequence_number: Its data sequence number. It decides which deletes apply.
        first_row_id: The row id of its first row (format version 3).
    """

    _spelled_as = "DataFile"

    file_path: str
    location: str
    file_format: FileFormat
    spec_id: int
    partition: dict[str, Any] = field(hash=False)
    record_count: int
    file_size_in_bytes: int
    data_sequence_number: int
    first_row_id: int | None


@dataclass(frozen=True)
class DeleteFile:
    """A delete file, or a deletion vector in a Puffin file.

    Args:
        file_path: The location as the table wrote it.
        location: The location to open, after `relocate`.
        file_format: The format.
        content: The kind of deletes: `position`, `equality` or `vector`.
        equality_ids: The columns of an equality delete, by field id.
        record_count: The number of deletes.
        file_size_in_bytes: Bytes, as the metadata says.
        data_sequence_number: Its data sequence number. It decides which data files the deletes apply to.
        referenced_data_file: The data file that it applies to, if there is only one.
        content_offset: The offset of a deletion vector's blob.
        content_size_in_bytes: The length of the blob.
    """

    file_path: str
    location: str
    file_format: FileFormat
    content: Literal["position", "equality", "vector"]
    equality_ids: tuple[int, ...]
    record_count: int
    file_size_in_bytes: int
    data_sequence_number: int
    referenced_data_file: str | None
    content_offset: int | None
    content_size_in_bytes: int | None


@dataclass(frozen=True)
class FileScanTask:
    """A data file to read, with its deletes and its residual.

    Args:
        file: The data file.
        delete_files: The deletes that apply to it.
        residual: The part of the filter that the partition does not decide.
        byte_range: Only row groups that start in this range of bytes are read. It has a start and an exclusive end; an
            end of `None` is the end of the file. `None` is the whole file. Only tasks of groups have ranges.

    Examples:
        >>> task = table.scan(row_filter="id > 3").plan_files()[0]
        >>> task.file.file_format, task.file.record_count, task.delete_files, task.residual
        ('parquet', 1, (), GreaterThan('id', 3))
    """

    file: DataFile
    delete_files: tuple[DeleteFile, ...]
    residual: Expression
    byte_range: tuple[int, int | None] | None = None


def task_of(parts: _Task) -> FileScanTask:
    """A task of what `floeberg._native` gives for one."""
    data, partition, deletes, residual, byte_range = parts
    values = {name: None if tree is None else from_tree(tree) for name, tree in partition}
    return FileScanTask(
        file=DataFile(**data, partition=PartitionValues(values)),
        delete_files=tuple(DeleteFile(**delete) for delete in deletes),
        residual=expression_of_tree(residual),
        byte_range=byte_range,
    )
