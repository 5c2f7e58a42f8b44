"""How does each form write rows?

Invariant: rows are written batch by batch, by writers of Arrow, or as texts that Arrow computes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from floeberg.cli.json_text import json_lines
from floeberg.cli.output import Form
from floeberg.cli.separated_text import separated_lines
from floeberg.errors import UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Batches", "write"]


class Batches(Protocol):
    """Batches of one schema."""

    schema: pa.Schema

    def __iter__(self) -> Iterator[pa.RecordBatch]: ...


def write(rows: Batches, sink: Any, form: Form, delimiter: str, *, is_file: bool) -> None:  # noqa: ANN401 - a file
    """Writes rows.

    Args:
        rows: The rows.
        sink: A binary file.
        form: The form.
        delimiter: What stands between values of CSV and text.
        is_file: Whether it is a file of its own, and not a stream.

    Raises:
        UnsupportedError: The form has no such type.
    """
    try:
        if form is Form.PARQUET:
            from pyarrow import parquet  # noqa: PLC0415 - rarely needed

            with parquet.ParquetWriter(sink, rows.schema) as writer:
                _each(rows, writer.write_batch)
        elif form is Form.ARROW:
            opened = pa.ipc.new_file if is_file else pa.ipc.new_stream
            with opened(sink, rows.schema) as writer:
                _each(rows, writer.write_batch)
        elif form is Form.JSON:
            _write_list(rows, sink)
        elif form is Form.JSONL:
            _each(rows, lambda batch: _write_lines(json_lines(batch), sink, "", "\n"))
        else:
            _write_csv(rows, sink, delimiter, is_text=form is Form.TEXT)
    except pa.ArrowNotImplementedError as error:
        raise UnsupportedError(f"{form.value} cannot have these columns: {error}") from error


def _each(batches: Batches, write: Any) -> None:  # noqa: ANN401 - a function
    for batch in batches:
        write(batch)


def _write_list(rows: Batches, sink: Any) -> None:  # noqa: ANN401 - a file
    sink.write(b"[")
    before = "\n"
    for batch in rows:
        if batch.num_rows:
            lines = json_lines(batch)
            _write_lines(lines.slice(0, 1), sink, before, "")
            _write_lines(lines.slice(1), sink, ",\n", "")
            before = ",\n"
    sink.write(b"]\n" if before == "\n" else b"\n]\n")


def _write_lines(lines: pa.Array, sink: Any, before: str, after: str) -> None:  # noqa: ANN401 - a file
    """Texts one after the other, each with what stands around it."""
    if not len(lines):
        return
    kind = lines.type
    around = pc.binary_join_element_wise(
        pa.scalar(before, kind), lines, pa.scalar(after, kind), pa.scalar("", kind)
    )
    values = around.buffers()[2]
    sink.write(memoryview(values)[: pc.sum(pc.binary_length(around)).as_py()])


def _write_csv(rows: Batches, sink: Any, delimiter: str, *, is_text: bool) -> None:  # noqa: ANN401 - a file
    names = pa.record_batch([pa.array([each]) for each in rows.schema.names], names=rows.schema.names)

    def write(batch: pa.RecordBatch) -> None:
        _write_lines(separated_lines(batch, delimiter, is_text=is_text), sink, "", "\n")

    write(names)
    _each(rows, write)
