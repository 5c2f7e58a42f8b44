"""What is a report?"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from floeberg._arguments import checked_path
from floeberg._display import bytes_shown, shown
from floeberg.errors import NotFoundError, PermissionDeniedError, StorageError

if TYPE_CHECKING:
    import os

__all__ = ["Report"]


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

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the page into a file. A file that is there is replaced.

        Args:
            path: The file.

        Returns:
            Its path.

        Raises:
            InvalidInputError: `path` has another type.
            FloebergError: The file cannot be written.

        Examples:
            >>> table.report().save(f"{folder}/report.html").name
            'report.html'
        """
        file = Path(checked_path("path", path))
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
