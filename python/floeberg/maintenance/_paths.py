"""Which methods of maintenance help to move a table?"""

from __future__ import annotations

from floeberg import _native
from floeberg._arguments import checked_bool, checked_text
from floeberg.maintenance._base import MaintainedTable
from floeberg.maintenance.results.paths import RewriteTablePathResult

__all__ = ["PathMaintenance"]


class PathMaintenance(MaintainedTable):
    """The methods that help to move a table."""

    def rewrite_table_path(  # noqa: PLR0913 - keywords
        self,
        source_prefix: str,
        target_prefix: str,
        *,
        start_version: str | None = None,
        end_version: str | None = None,
        staging_location: str | None = None,
        create_file_list: bool = True,
        dry_run: bool = False,
    ) -> RewriteTablePathResult:
        """Stages the files of a table that name others, with other paths in them, and lists all files to copy.

        Metadata files, manifest lists, manifests, files of position deletes and of deletion vectors are staged: each
        path that begins with the source prefix begins with the target prefix in them. The table is not changed. Once
        the files of the list are copied, the table is whole at the target, and a catalog can register it there.

        Args:
            source_prefix: What the paths of the table begin with: a folder that has all of its files. Of a table that
                is opened with `relocate`, what was written counts.
            target_prefix: What they are to begin with. Nothing is written there.
            start_version: The name or the location of a metadata file whose files were copied before: only what was
                added after it is listed. By default, all files are.
            end_version: The name or the location of the last metadata file. By default, the current one.
            staging_location: An empty folder for the files that are staged. By default, a new folder
                `copy-table-staging-<uuid>` beside the metadata file.
            create_file_list: Whether the list of files is written.
            dry_run: Whether to check paths and to count only, and to write nothing.

        Returns:
            Where the list is, and what was counted.

        Raises:
            InvalidInputError: A file of the table is not below the source prefix; a version is not in the metadata log;
                or the staging folder has files.
            InvalidDataError: A manifest or a delete file is damaged.
            NotFoundError: A metadata file of the metadata log, a manifest or a delete file is missing.
            UnsupportedError: The table is encrypted.

        Examples:
            >>> lake = fb.load_catalog("moved", type="sql", uri="sqlite://", warehouse=str(folder))
            >>> lake.create_namespace("db")
            >>> visits = lake.create_table("db.visits", orders.schema())
            >>> _ = visits.append(pa.table({"id": [1, 2]}))
            >>> done = visits.maintenance.rewrite_table_path(visits.location(), "s3://bucket/visits")
            >>> done.rewritten_manifest_file_paths_count, done.files_to_copy_count
            (1, 5)
        """
        given = {
            "start_version": start_version,
            "end_version": end_version,
            "staging_location": staging_location,
        }
        latest, staging, file_list, manifests, deletes, files = _native.rewrite_table_path(
            self._table(),
            source_prefix=checked_text("source_prefix", source_prefix),
            target_prefix=checked_text("target_prefix", target_prefix),
            create_file_list=checked_bool("create_file_list", create_file_list),
            dry_run=checked_bool("dry_run", dry_run),
            **{name: None if value is None else checked_text(name, value) for name, value in given.items()},
        )
        return RewriteTablePathResult(
            latest_version=latest,
            file_list_location=file_list,
            rewritten_manifest_file_paths_count=manifests,
            rewritten_delete_file_paths_count=deletes,
            files_to_copy_count=files,
            staging_location=staging,
            dry_run=dry_run,
        )
