"""Operations, commits and their attempts. Python owns retries, and decides what is removed.

Rust: `rust/floeberg-python/src/commit/`.
"""

from collections.abc import Callable
from typing import Any, final

from floeberg._native.scan import TaskGroup
from floeberg._native.table import Table
from floeberg._native.values import _Tree
from floeberg._native.write import DeleteRecipe, FoundRows, Receipt, RowDeltaReceipt, SourceKeys, WriteRecipe

@final
class Operation:
    """An operation on a table. It does not depend on a base, and can be tried on any."""

    @staticmethod
    def append(receipt: Receipt, *, merge: bool | None) -> Operation:
        """Adds files.

        Args:
            receipt: The files.
            merge: Whether small manifests are merged. `None` takes `commit.manifest-merge.enabled` of the table.
        """

    @staticmethod
    def add_files(receipt: Receipt, *, name_mapping: str | None) -> Operation:
        """Adds files of other writers.

        Args:
            receipt: The files.
            name_mapping: The name mapping that their columns were found by. A table without one gets it.
        """

    @staticmethod
    def overwrite(
        receipt: Receipt, row_filter: _Tree, *, case_sensitive: bool, isolation: str | None, mode: str | None
    ) -> Operation:
        """Removes the rows that match, and adds files.

        Args:
            receipt: The files to add.
            row_filter: The filter of the rows to replace.
            case_sensitive: Whether the case of names in the filter counts.
            isolation: `serializable` or `snapshot`. `None` takes `write.update.isolation-level` of the table.
            mode: As with `delete`.

        Raises:
            InvalidInputError: The isolation level or the mode does not exist.
        """

    @staticmethod
    def row_delta(
        receipt: RowDeltaReceipt,
        row_filter: _Tree | None,
        *,
        case_sensitive: bool,
        isolation: str | None,
        read_snapshot_id: int | None,
        command: str = "row delta",
        mode: str | None = None,
        keys: SourceKeys | None = None,
        inserts_keys: bool = False,
        found: FoundRows | None = None,
    ) -> Operation:
        """Deletes rows by position, and adds and removes files.

        Args:
            receipt: The rows and files.
            row_filter: Rows that are a conflict if others added them.
            case_sensitive: Whether the case of names in the filter counts.
            isolation: `None` takes the property of the command.
            read_snapshot_id: The snapshot that was read.
            command: `row delta`, `update`, `upsert`, `merge` or `apply_changes`.
            mode: How rows go of files of which others stay. `None` takes the property of the command; a row delta
                writes deletes.
            keys: Keys that are a conflict if others added rows with them.
            inserts_keys: Whether they are one under every isolation level.
            found: The rows that were looked for. Under `serializable`, those that are left as they are and that others
                deleted are a conflict.

        Raises:
            InvalidInputError: The command, the isolation level or the mode does not exist.
        """

    @staticmethod
    def delete(
        row_filter: _Tree,
        *,
        case_sensitive: bool,
        isolation: str | None,
        mode: str | None,
        finds_again: bool,
    ) -> Operation:
        """Removes the rows that match.

        Args:
            row_filter: The filter of the rows.
            case_sensitive: Whether the case of names in the filter counts.
            isolation: `None` takes `write.delete.isolation-level` of the table.
            mode: `None` takes `write.delete.mode` of the table.
            finds_again: Whether rows that others add meanwhile are deleted too. Otherwise they are a conflict.

        Raises:
            InvalidInputError: The isolation level or the mode does not exist.
        """

    @staticmethod
    def dynamic_overwrite(receipt: Receipt, *, isolation: str | None) -> Operation:
        """Adds files, and removes all other files of their partitions.

        Raises:
            InvalidInputError: The isolation level does not exist.
        """

    @staticmethod
    def create_table(
        *,
        schema_json: str,
        spec_json: str | None,
        sort_order_json: str | None,
        location: str,
        properties: dict[str, str],
        format_version: int,
        uuid: str | None = None,
        replaces: bool = False,
    ) -> Operation:
        """Creates a table, or replaces one. Spec: Appendix C.

        Args:
            schema_json: The schema. Its field ids are kept.
            spec_json: The partition spec, as in metadata or as a list of texts: `["day(ts)"]`.
            sort_order_json: The sort order, as in metadata or as a list of texts: `["id desc"]`.
            location: The location of the table.
            properties: Its properties.
            format_version: 1, 2 or 3.
            uuid: Its uuid; a random one by default. A table that is replaced keeps its own.
            replaces: Whether it replaces a table, with its history.

        Raises:
            InvalidInputError: One of them is wrong. The error says what was expected.
            UnsupportedError: The format version does not support a type or transform.
        """

    @staticmethod
    def set_properties(properties: dict[str, str]) -> Operation:
        """Sets properties of the table."""

    @staticmethod
    def remove_properties(names: list[str]) -> Operation:
        """Removes properties of the table."""

    @staticmethod
    def update_schema(changes_json: str) -> Operation:
        """Changes columns: `{"changes": [{"change": "add-column", ...}], "allow-incompatible": ..., ...}`.

        Raises:
            InvalidInputError: A change does not exist, or lacks a value.
        """

    @staticmethod
    def upgrade_format_version(version: int) -> Operation:
        """Upgrades the format version."""

    @staticmethod
    def update_spec(changes_json: str) -> Operation:
        """Changes the partition fields, from the JSON of `UpdateSpec`."""

    @staticmethod
    def replace_sort_order(change_json: str) -> Operation:
        """Sorts new files by other fields, from the JSON of `UpdateSortOrder`."""

    @staticmethod
    def set_location(location: str) -> Operation:
        """Changes where new files go."""

    @staticmethod
    def set_statistics(change_json: str) -> Operation:
        """Changes the statistics files of a snapshot, from the JSON of `UpdateStatistics`."""

    @staticmethod
    def change_ref(change_json: str) -> Operation:
        """Changes a branch or a tag, from the JSON of `ManageSnapshots`."""

    @staticmethod
    def rewrite_data_files(rewrite_json: str) -> Operation:
        """Writes the rows of groups of data files again, by JSON: see `Rewrite` of Rust."""

    @staticmethod
    def rewrite_deletes(rewrite_json: str) -> Operation:
        """Writes delete files again, or removes them, by JSON of `kind` and `paths`."""

    @staticmethod
    def rewrite_manifests(rewrite_json: str) -> Operation:
        """Writes manifests again, by JSON of `spec-id` and `sort-by`."""

    @staticmethod
    def expire_snapshots(expiry_json: str) -> Operation:
        """Expires snapshots, branches and tags, by the JSON of `ExpireSnapshots`."""

    @staticmethod
    def cherrypick(snapshot_id: int) -> Operation:
        """Applies the changes of a snapshot to the branch of the commit."""

    @property
    def changes_rows(self) -> bool:
        """Whether it makes a snapshot."""

    @property
    def name(self) -> str:
        """The name of the operation. It is compared when a commit key is used again."""

    def __reduce__(self) -> tuple[Any, ...]: ...
    @staticmethod
    def _from_recipe(recipe: bytes) -> Operation:
        """Reads a pickled operation.

        Raises:
            InvalidInputError: The bytes are damaged.
            UnsupportedError: A newer version of Floeberg wrote them.
        """

@final
class Commit:
    """Operations that are tried on one base after another, until an attempt becomes part of the table."""

    @staticmethod
    def begin(
        operations: list[Operation],
        *,
        starting: Table | None,
        storage_options: dict[str, str],
        snapshot_properties: dict[str, str],
        branch: str,
        commit_key: str,
        validate_from_snapshot_ids: list[int | None] = ...,
        files_are_new: bool = False,
        stage_only: bool = False,
        leaves_record: bool = False,
        key_management: object | None = None,
    ) -> Commit:
        """Begins a commit. Nothing is written.

        Args:
            operations: The operations, in order.
            starting: The table when the operations began. Later changes may be conflicts. `None` creates the table.
            storage_options: The options of the table's storage, for the files of the commit.
            snapshot_properties: Entries of the snapshots' summaries.
            branch: The branch of the snapshots.
            commit_key: The idempotency key, which the summaries keep.
            validate_from_snapshot_ids: Older snapshots that the rows were computed from. `None` is an empty branch.
            files_are_new: Whether the files are certainly in no table yet. Otherwise, all manifests are searched for
                them.
            stage_only: Whether no branch names the new snapshot.
            leaves_record: Whether there is a snapshot even if no row changes.
            key_management: Wraps the keys of a new table that is encrypted. Another table has its own.

        Raises:
            InvalidInputError: A property of the summary is reserved, or the operations exclude each other.
        """

    @staticmethod
    def table_after(operations: list[Operation], table: Table, branch: str) -> Table:
        """A table as operations leave it, which write no snapshot. Nothing is read or written."""

    def attempt(
        self, base: Table | None, progress: Callable[[str, int, int, int], object] | None = None
    ) -> Attempt:
        """Tries the operations on a base: writes their manifests and manifest lists.

        Args:
            base: The base.
            progress: Called now and then, and at the end, with the step, its files, all its files and its rows.

        Raises:
            CommitConflictError: The base has changes that the operations conflict with.
            AlreadyExistsError: The table has a file already.
            FloebergError: Others, as `Table.append` and `Table.overwrite` list them.
        """

    def count(
        self, base: Table, progress: Callable[[str, int, int, int], object] | None = None
    ) -> dict[str, int]:
        """What the operation would change of a base. Nothing is written.

        Raises:
            InvalidInputError: There are several operations, or another than a delete or an overwrite.
        """

    def count_replaced(self, base: Table) -> tuple[int, int]:
        """How many manifests or delete files the operation would replace, and their bytes. Nothing is written.

        Raises:
            InvalidInputError: There are several operations, or one that cannot be counted before it is done.
        """

    def groups_to_copy(self, base: Table) -> list[tuple[str, TaskGroup, WriteRecipe]]:
        """What other processes may copy for an attempt on a base: a key, files, and how their rows are written.

        Raises:
            CommitConflictError: The base has changes that the operation conflicts with.
            FloebergError: Those of planning.
        """

    def deletes_to_write(self, base: Table) -> list[tuple[str, TaskGroup, DeleteRecipe]]:
        """What other processes may write for an attempt that writes delete files again: keys, files, and how."""

    def take_copies(self, key: str, receipt: Receipt) -> None:
        """Takes what another process copied, or wrote, for a key. The commit removes the files that it does not need.

        Raises:
            InvalidInputError: The files delete rows of other data files.
        """

    def find_own(self, base: Table) -> int | None:
        """The snapshot of this commit on a base; `None` if the base does not have it."""

    def find_earlier(self, base: Table) -> int | None:
        """The snapshot of an earlier commit with the same key, or `None`.

        Raises:
            InvalidInputError: The key belongs to other operations.
        """

    def abandon(self) -> list[str]:
        """Removes the files of all attempts. Call it only if no attempt is part of the table.

        Returns:
            The files that could not be removed.
        """

    def finished(self, attempt: Attempt) -> list[str]:
        """Removes the files of attempts that the successful one does not use.

        Returns:
            The files that could not be removed.
        """

    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send its operations."""

@final
class Attempt:
    """A commit on one base. `floeberg.commit.Attempt` is its contract."""

    @staticmethod
    def of_request(
        base: Table | None,
        *,
        requirements_json: str,
        updates_json: str,
        storage_options: dict[str, str],
        now_ms: int | None = None,
        key_management: object | None = None,
    ) -> Attempt:
        """The request of a client of a REST catalog, applied to a table; without a base it creates the table.

        Raises:
            CommitConflictError: A requirement does not hold, or a snapshot was made on an older state of the table.
            InvalidInputError: The request is malformed, or the table does not allow an update.
            UnsupportedError: An update or a requirement is unknown.
        """

    def newly_broken(self) -> list[tuple[str, str, str]]:
        """The rules that the new metadata breaks and that the base does not: names, parts, and what was found."""

    @property
    def changes(self) -> bool:
        """Whether the metadata differs from the base."""

    @property
    def counts(self) -> dict[str, int]:
        """The rows and files that change, by their names in `floeberg.CommitResult`."""

    @property
    def row_proof(self) -> tuple[int, int, bool, tuple[int, str], tuple[int, str]] | None:
        """Of a repair that changes manifests, how rows were compared; else `None`.

        Files that were read both ways, files that no scan could read before, whether a scan could be planned before,
        and rows with their checksum before and after.
        """

    @property
    def is_rebased(self) -> bool:
        """Whether rows were found on an older state of the table, and not looked for again on the base."""

    @property
    def snapshot_id(self) -> int | None:
        """The last snapshot that it adds; `None` without a snapshot."""

    @property
    def metadata_json(self) -> str:
        """The new metadata, as canonical JSON. Spec: Appendix C."""

    @property
    def requirements_json(self) -> str:
        """The list of `TableRequirement`s of the REST catalog specification."""

    @property
    def updates_json(self) -> str:
        """The list of `TableUpdate`s of the REST catalog specification."""

    @property
    def properties(self) -> dict[str, str]:
        """The table's properties in the new metadata."""

    @property
    def metadata_folder(self) -> str:
        """The folder of the table's metadata files."""

    def write_metadata(self, location: str, *, if_absent: bool) -> None:
        """Writes the new metadata durably. Names with `.gz` are compressed.

        Args:
            location: The metadata file.
            if_absent: Whether an existing file is an error.

        Raises:
            AlreadyExistsError: The file exists, and `if_absent` was given.
        """

    def check_files(self, metadata_location: str) -> None:
        """Checks that all files are there that its snapshots name, once its metadata was written.

        Raises:
            NotFoundError: A file is missing.
        """

    def table(self, metadata_location: str) -> Table:
        """The table after the commit, with the metadata file that was written. Opens no file."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send the operations of its `Commit`."""

def check_requirements(table: Table | None, requirements_json: str) -> None:
    """Checks the requirements of a request about a table; `None` is one that does not exist.

    Raises:
        CommitConflictError: A requirement does not hold.
        InvalidInputError: The requirements are malformed.
        UnsupportedError: A requirement is unknown, and so cannot be checked.
    """
