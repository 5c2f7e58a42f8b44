"""How are rows written: to a terminal, to a pipe, or to a file?

Invariant: rows are written batch by batch, by writers of Arrow. Only the few rows that a terminal shows become objects.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from floeberg.cli.json_text import json_lines
from floeberg.cli.output import Form, Output
from floeberg.cli.separated_text import separated_lines
from floeberg.errors import AlreadyExistsError, InvalidInputError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Rows", "form_of_file", "write_rows"]

_SUFFIXES = {
    ".csv": Form.CSV,
    ".tsv": Form.CSV,
    ".json": Form.JSON,
    ".jsonl": Form.JSONL,
    ".ndjson": Form.JSONL,
    ".parquet": Form.PARQUET,
    ".arrow": Form.ARROW,
    ".feather": Form.ARROW,
}
_BINARY = (Form.PARQUET, Form.ARROW)


class Rows:
    """Rows to write.

    Args:
        reader: The batches: a reader, or a table.
    """

    def __init__(self, reader: pa.RecordBatchReader | pa.Table) -> None:
        self._reader = reader.to_reader() if isinstance(reader, pa.Table) else reader
        self.schema: pa.Schema = self._reader.schema
        self.count = 0

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        for batch in self._reader:
            self.count += batch.num_rows
            yield batch

    def head(self, most: int) -> tuple[list[dict[str, Any]], bool]:
        """The first rows, and whether there are more."""
        kept: list[dict[str, Any]] = []
        for batch in self:
            kept += batch.slice(0, most + 1 - len(kept)).to_pylist()
            if len(kept) > most:
                break
        return kept[:most], len(kept) > most


def form_of_file(path: str, form: Form) -> Form:
    """The form of a file: the one that was asked for, or what its name says.

    Raises:
        InvalidInputError: Neither says it.
    """
    if form is not Form.TEXT:
        return form
    found = _SUFFIXES.get(Path(path).suffix.lower())
    if found is None:
        raise InvalidInputError(
            f"--to: the name does not say the form: expected an end of {', '.join(_SUFFIXES)}, or --output",
            context={"path": path},
        )
    return found


def write_rows(rows: Rows, output: Output, *, to: str | None = None, most: int | None = None) -> None:
    """Writes rows in the form of an output.

    Args:
        rows: The rows.
        output: Where they go, and in which form.
        to: A new file, instead of standard output.
        most: The most rows that a terminal shows.

    Raises:
        AlreadyExistsError: The file exists.
        InvalidInputError: The form is binary, and would go to a terminal.
        UnsupportedError: The form has no such type.
    """
    if to is not None:
        _write_file(rows, to, form_of_file(to, output.form))
    elif output.form is Form.TEXT and output.is_terminal:
        _show(rows, output, most)
    else:
        if output.form in _BINARY and output.is_terminal:
            raise InvalidInputError(
                f"--output: {output.form.value} is not for a terminal: give --to FILE, or a pipe"
            )
        sys.stdout.flush()
        delimiter = "\t" if output.form is Form.TEXT else ","
        _write(rows, sys.stdout.buffer, output.form, delimiter, is_file=False)
        sys.stdout.buffer.flush()


def _show(rows: Rows, output: Output, most: int | None) -> None:
    kept, is_more = rows.head(sys.maxsize - 1 if most is None else most)
    output.grid(rows.schema.names, (list(each.values()) for each in kept))
    if is_more:
        output.note(
            f"the first {len(kept)} rows are shown: --limit shows another number, --to writes all to a file"
        )


def _write_file(rows: Rows, to: str, form: Form) -> None:
    path = Path(to)
    try:
        with path.open("xb") as sink:
            try:
                _write(rows, sink, form, "\t" if path.suffix.lower() == ".tsv" else ",", is_file=True)
            except BaseException:
                path.unlink()
                raise
    except FileExistsError as error:
        raise AlreadyExistsError("the file exists already", context={"path": to}) from error


def _write(rows: Rows, sink: Any, form: Form, delimiter: str, *, is_file: bool) -> None:  # noqa: ANN401 - a file
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


def _each(batches: Iterable[pa.RecordBatch], write: Any) -> None:  # noqa: ANN401 - a function
    for batch in batches:
        write(batch)


def _write_list(rows: Rows, sink: Any) -> None:  # noqa: ANN401 - a file
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
    around = pa.compute.binary_join_element_wise(
        pa.scalar(before, kind), lines, pa.scalar(after, kind), pa.scalar("", kind)
    )
    values = around.buffers()[2]
    sink.write(memoryview(values)[: pa.compute.sum(pa.compute.binary_length(around)).as_py()])


def _write_csv(rows: Rows, sink: Any, delimiter: str, *, is_text: bool) -> None:  # noqa: ANN401 - a file
    names = pa.record_batch([pa.array([each]) for each in rows.schema.names], names=rows.schema.names)

    def write(batch: pa.RecordBatch) -> None:
        _write_lines(separated_lines(batch, delimiter, is_text=is_text), sink, "", "\n")

    write(names)
    _each(rows, write)
