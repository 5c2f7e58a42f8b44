"""How is a view loaded and committed?

The contract between commits to views, which are the same everywhere, and catalogs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NoReturn, Protocol, TypeAlias

from floeberg import _native
from floeberg.errors import UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["OpenedView", "StaticViewOperations", "ViewAttempt", "ViewOperations", "view_from_metadata"]

OpenedView: TypeAlias = _native.View
"""A state of a view: its `metadata_json()`, its `metadata_location` and its `storage_options`."""


class ViewAttempt(Protocol):
    """One attempt of a commit to a view, on one metadata file as its base.

    A server that makes the metadata itself takes `requirements_json` and `updates_json`: the two lists of a
    `CommitViewRequest` in the REST catalog specification. Other catalogs take the result, `metadata_json`.
    """

    @property
    def changes(self) -> bool:
        """Whether the metadata differs from the base."""
        ...

    @property
    def requirements_json(self) -> str:
        """The requirements: `[{"type": "assert-view-uuid", ...}]`; empty for a new view."""
        ...

    @property
    def updates_json(self) -> str:
        """The updates: `[{"action": "add-view-version", ...}, ...]`."""
        ...

    @property
    def metadata_json(self) -> str:
        """The new metadata."""
        ...

    def new_metadata_location(self) -> str:
        """Returns a new name for its metadata file, by the new metadata. No two names are the same."""
        ...

    def write_metadata(self, location: str) -> None:
        """Writes the new metadata durably. Names with `.gz` are compressed."""
        ...

    def view(self, metadata_location: str) -> _native.View:
        """Returns the view with the new metadata, after it was written to this location."""
        ...


class ViewOperations(ABC):
    """Loads a view and commits to it, like `ViewOperations` in Iceberg Java.

    The rules are those of `floeberg.commit.TableOperations`, without those of data files:

    1. `load` returns the current view, and raises `NoSuchViewError` where it does not exist.
    2. `commit` makes an attempt current, atomically, if its base is still current. A base of `None` creates the view;
       `ViewAlreadyExistsError` means that it exists.
    3. `CommitConflictError` means that the base is not current any more, and that nothing was changed. With
       `retryable=True` the operation is tried again on the view that `load` returns then.
    4. `CommitStateUnknownError` means that the attempt may have become current. Its context has the attempt's own
       metadata file as `metadata`, where one was written.
    5. Every other `FloebergError` means that nothing was changed, and nothing will be.
    6. The object can be pickled.
    """

    @property
    @abstractmethod
    def storage_options(self) -> Mapping[str, str]:
        """The storage options for a view that does not exist yet."""

    @abstractmethod
    def load(self, known: OpenedView | None) -> OpenedView:
        """Returns the current view, or the `known` object if it is still current. Rule 1."""

    @abstractmethod
    def commit(self, base: OpenedView | None, attempt: ViewAttempt) -> OpenedView:
        """Makes an attempt current if its base still is, and returns the new view. Rules 2 to 5."""


class StaticViewOperations(ViewOperations):
    """A view at a fixed metadata file, which cannot be changed: only a catalog knows the current one."""

    @property
    def storage_options(self) -> dict[str, str]:
        """Empty: nothing is written."""
        return {}

    def load(self, known: OpenedView | None) -> NoReturn:
        """Raises `UnsupportedError`."""
        location = "" if known is None else known.metadata_location
        raise UnsupportedError(
            "the view was opened without a catalog, which knows its current metadata file: load it by "
            "catalog.load_view(identifier), or add it by catalog.register_view(identifier, metadata_location)",
            context={"path": location} if location else {},
        )

    def commit(self, base: OpenedView | None, attempt: ViewAttempt) -> NoReturn:
        """Raises `UnsupportedError`."""
        del attempt
        self.load(base)


def view_from_metadata(
    metadata_json: str, metadata_location: str, *, storage_options: Mapping[str, str]
) -> OpenedView:
    """Opens metadata of a view that is in memory. No file is read.

    Args:
        metadata_json: The metadata.
        metadata_location: The metadata file, for processes that the view is sent to.
        storage_options: The storage options of the view.

    Raises:
        InvalidDataError: The metadata is damaged.
    """
    return _native.View.from_metadata(metadata_json, metadata_location, storage_options=dict(storage_options))
