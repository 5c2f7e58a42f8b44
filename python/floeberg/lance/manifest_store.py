"""Who decides which manifest is a version, where the storage cannot?

An external manifest store, as Lance's format describes it: a database that knows for each version of a table where its
manifest is. A manifest is written under a name of its own first; the store takes it if the version has none; then it
is renamed, and the store records the new name. Whoever opens the table finishes what a crash left between these steps.

Spec: Lance, Transactions, External Manifest Store.

Invariant: the store decides. A manifest gets the name of a version only after the store took it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from floeberg import _native
from floeberg.errors import (
    CommitConflictError,
    CommitStateUnknownError,
    FloebergError,
    InvalidInputError,
    UnsupportedError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ManifestStore", "Manifests", "checked_store", "refuse_dynamodb"]


@runtime_checkable
class ManifestStore(Protocol):
    """Knows for each version of a table where its manifest is.

    All processes that write a table must use the same store. `floeberg.catalog.sql_manifests.SqlManifestStore` is one.
    Errors are those of `floeberg.errors`: `CommitStateUnknownError` says that a write may have taken effect, any other
    `FloebergError` that it has not.
    """

    def latest(self, table: str) -> tuple[int, str] | None:
        """The newest version that the store knows of a table.

        Args:
            table: The folder of the table or of its branch.

        Returns:
            The version, and the location of its manifest.
        """
        ...

    def get(self, table: str, version: int) -> str | None:
        """The location of the manifest of a version."""
        ...

    def put_if_absent(self, table: str, version: int, location: str) -> bool:
        """Takes a manifest for a version that has none, in one step.

        Returns:
            Whether it was taken.
        """
        ...

    def replace(self, table: str, version: int, location: str) -> None:
        """Sets the location of the manifest of a version that is known."""
        ...


@dataclass(frozen=True)
class Manifests:
    """The versions of one folder, in a manifest store.

    Args:
        store: The store.
        folder: The folder of the table or of its branch.
        storage_options: The options of its storage.
    """

    store: ManifestStore
    folder: str
    storage_options: Mapping[str, str]

    @staticmethod
    def of(store: ManifestStore, table: _native.LanceTable) -> Manifests:
        """The versions of a table's branch."""
        return Manifests(store, table.folder, table.storage_options)

    @property
    def _key(self) -> str:
        """The folder as all processes spell it."""
        return _native.canonical_location(self.folder)

    def catch_up(self) -> None:
        """Finishes the newest version, if a process that made it did not.

        Raises:
            NotFoundError: Its manifest is gone.
            StorageError: The store cannot be asked.
        """
        newest = self.store.latest(self._key)
        if newest is not None and not newest[1].endswith(".manifest"):
            self._finish(*newest)

    def attempt(self, commit: _native.LanceCommit) -> tuple[_native.LanceTable, bool]:
        """Tries to make the next version, as `_native.LanceCommit.attempt` does.

        Raises:
            CommitConflictError: Another commit was faster.
            CommitStateUnknownError: Nobody knows whether it was made.
        """
        self.catch_up()
        waiting, done = commit.stage()
        if waiting is None:
            if done is None:
                raise AssertionError
            return done
        try:
            is_taken = self.take(*waiting)
        except CommitStateUnknownError:
            raise
        except FloebergError:
            with suppress(CommitConflictError):
                commit.settle(is_taken=False)
            raise
        table = commit.settle(is_taken=is_taken)
        self.finish(*waiting)
        return table, True

    def take(self, version: int, location: str) -> bool:
        """Asks the store to take a manifest, and asks again if the answer got lost."""
        try:
            return self.store.put_if_absent(self._key, version, location)
        except CommitStateUnknownError:
            with suppress(FloebergError):
                taken = self.store.get(self._key, version)
                if taken is not None:
                    # Only who finishes it removes a manifest that was taken: then it has its own name already.
                    return taken == location or not _native.file_exists(
                        location, storage_options=dict(self.storage_options)
                    )
            raise

    def finish(self, version: int, location: str) -> None:
        """Gives a version its own name. What fails is finished by whoever opens the table next."""
        with suppress(FloebergError):
            self._finish(version, location)

    def _finish(self, version: int, location: str) -> None:
        options = dict(self.storage_options)
        final = _native.finalize_lance_version(self.folder, version, location, storage_options=options)
        self.store.replace(self._key, version, final)
        _native.remove_lance_files([location], storage_options=options)


def checked_store(store: object) -> ManifestStore | None:
    """A manifest store that a user gave.

    Raises:
        InvalidInputError: It is none.
    """
    if store is None or isinstance(store, ManifestStore):
        return store
    raise InvalidInputError(
        f"manifest_store: expected an object with the methods of ManifestStore, found {type(store).__name__}"
    )


def refuse_dynamodb(location: str) -> None:
    """Raises `UnsupportedError` for a table whose manifests are in DynamoDB."""
    if location.lower().startswith("s3+ddb:"):
        raise UnsupportedError(
            "s3+ddb: manifests in DynamoDB are not supported: use s3, whose storage decides about versions itself, or "
            "manifest_store with a store of all writers"
        )
