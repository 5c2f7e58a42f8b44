"""What was staged, so that a table can be copied?"""

from __future__ import annotations

from dataclasses import dataclass

from floeberg.maintenance.results.base import Result

__all__ = ["RewriteTablePathResult"]


@dataclass(frozen=True, repr=False)
class RewriteTablePathResult(Result):
    """Which files were staged, and which are to be copied. The names are those of Spark's procedure.

    Attributes:
        latest_version: The name of the last metadata file that was staged.
        file_list_location: Where the list of files is: a CSV file without a header, of sources and targets; `None` with
            `dry_run`, and with `create_file_list=False`.
        rewritten_manifest_file_paths_count: The manifests whose paths were changed.
        rewritten_delete_file_paths_count: The delete files whose paths were changed. Each deletion vector is one.
        files_to_copy_count: The files that are to be copied: the lines of the list.
        staging_location: The folder of the files that were staged; `None` with `dry_run`.
        dry_run: Whether nothing was written: the counts say what would be.
    """

    latest_version: str = ""
    file_list_location: str | None = None
    rewritten_manifest_file_paths_count: int = 0
    rewritten_delete_file_paths_count: int = 0
    files_to_copy_count: int = 0
    staging_location: str | None = None
    dry_run: bool = False
