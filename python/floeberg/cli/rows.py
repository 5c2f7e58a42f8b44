"""How are rows written: to a terminal, to a pipe, or to a file?

Invariant: only the few rows that a terminal shows become objects of Python.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floeberg.cli.output import Form, Output
from floeberg.errors import AlreadyExistsError, InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

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
        self._reader = reader.to_reader() if hasattr(reader, "to_reader") else reader
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
        _written(rows, sys.stdout.buffer, output.form, delimiter, is_file=False)
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
                _written(rows, sink, form, "\t" if path.suffix.lower() == ".tsv" else ",", is_file=True)
            except BaseException:
                path.unlink()
                raise
    except FileExistsError as error:
        raise AlreadyExistsError("the file exists already", context={"path": to}) from error


def _written(rows: Rows, sink: Any, form: Form, delimiter: str, *, is_file: bool) -> None:  # noqa: ANN401 - a file
    from floeberg.cli.row_writers import write  # noqa: PLC0415 - verbs without rows need no pyarrow

    write(rows, sink, form, delimiter, is_file=is_file)
