"""What is a report?"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from floeberg._arguments import checked_bool, checked_path
from floeberg._display import bytes_shown, shown
from floeberg.errors import (
    AlreadyExistsError,
    InvalidInputError,
    NotFoundError,
    PermissionDeniedError,
    StorageError,
)

if TYPE_CHECKING:
    import os

__all__ = ["Report", "check_free"]

_BEGINS = "<!doctype html>"
_MAKER = "- Floeberg report</title>"
"""What every report has near its beginning."""
_LOOKED_AT = 4096


@dataclass(frozen=True, repr=False)
class Report:
    """A report of a table, as `Table.report` makes it: one HTML file, which asks for nothing and runs no script.

    Attributes:
        title: The name of the table.
        html: The whole page.

    Examples:
        >>> report = table.report(row_filter="id > 3")
        >>> report.html.startswith("<!doctype html>"), "<script" in report.html
        (True, False)
    """

    title: str
    html: str

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Writes the page into a file. An older report is replaced, and nothing else.

        Args:
            path: The file.
            overwrite: Whether another file that is there is replaced too.

        Returns:
            Its path.

        Raises:
            InvalidInputError: `path` has another type, or is a folder.
            AlreadyExistsError: The file is there, and is not a report.
            FloebergError: The file cannot be written.

        Examples:
            >>> table.report().save(f"{folder}/report.html").name
            'report.html'
        """
        file = Path(checked_path("path", path))
        check_free(file, overwrite=checked_bool("overwrite", overwrite))
        try:
            file.write_text(self.html, encoding="utf-8")
        except FileNotFoundError as failure:
            raise NotFoundError(
                "the folder of the report is not there", context={"path": str(file)}
            ) from failure
        except PermissionError as failure:
            raise PermissionDeniedError(
                "the report cannot be written", context={"path": str(file)}
            ) from failure
        except (OSError, ValueError) as failure:
            raise StorageError(
                f"the report cannot be written: {failure}", context={"path": str(file)}
            ) from failure
        return file

    def __repr__(self) -> str:
        return f"Report({shown(self.title)}, {bytes_shown(len(self.html.encode()))}: save(path) writes it)"

    def _repr_html_(self) -> str:
        # A page of its own, so that its style stays with it.
        return (
            f'<iframe title="Report of {escape(shown(self.title))}" sandbox="" srcdoc="{escape(self.html)}" '
            'style="width:100%;height:720px;border:1px solid #8884;border-radius:8px"></iframe>'
        )


def check_free(file: Path, *, overwrite: bool) -> None:
    """Checks that nothing but an older report would be replaced.

    Args:
        file: The file that is to be written.
        overwrite: Whether other files may be replaced.

    Raises:
        AlreadyExistsError: Another file is there.
        InvalidInputError: It is a folder.
    """
    if file.is_dir():
        raise InvalidInputError(f"path: expected a file, found the folder {str(file)!r}")
    if overwrite or not file.exists():
        return
    try:
        with file.open("rb") as there:
            begin = there.read(_LOOKED_AT).decode("utf-8", "replace")
    except OSError:
        begin = ""
    # The title may be long, and the style comes after it.
    if not begin.startswith(_BEGINS) or _MAKER not in begin:
        raise AlreadyExistsError(
            "the file exists and is not a report: give another file (--to), or overwrite=True (--force) to replace it",
            context={"path": str(file)},
        )
