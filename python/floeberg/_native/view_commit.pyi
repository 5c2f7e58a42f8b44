"""Operations on views, and their attempts.

Rust: `rust/floeberg-python/src/commit/view.rs`.
"""

from typing import Any, final

from floeberg._native.table import View

@final
class ViewOperation:
    """An operation on a view. It does not depend on a base, and can be tried on any."""

    @staticmethod
    def create(
        *, schema_json: str, version_json: str, location: str, properties: dict[str, str]
    ) -> ViewOperation:
        """Creates a view.

        Args:
            schema_json: The schema of its rows. It gets fresh field ids.
            version_json: Its first version, as in metadata. Its own ids and its time do not count. Spec: View Spec.
            location: The location of the view.
            properties: Its properties.

        Raises:
            InvalidInputError: One of them is wrong. The error says what was expected.
        """

    @staticmethod
    def replace(
        *,
        schema_json: str,
        version_json: str,
        expected_version_id: int | None,
        properties: dict[str, str],
        location: str | None,
    ) -> ViewOperation:
        """Makes another version the current one.

        Args:
            schema_json: The schema of its rows. An equal schema of the view keeps its ids.
            version_json: As with `create`. An equal version of the view keeps its id.
            expected_version_id: The version that must still be current; `None` replaces any.
            properties: Properties to set.
            location: Another location of the view.

        Raises:
            InvalidInputError: One of them is wrong.
        """

    @staticmethod
    def update_properties(*, updates: dict[str, str], removals: list[str]) -> ViewOperation:
        """Sets and removes properties."""

    @staticmethod
    def set_location(location: str) -> ViewOperation:
        """Changes where new metadata files go."""

    def attempt(self, base: View | None, *, storage_options: dict[str, str]) -> ViewAttempt:
        """Tries it on a base; `None` creates the view, with these storage options.

        Raises:
            CommitConflictError: The base has another current version than the one that was to be replaced.
            InvalidInputError: The view does not allow it.
        """

    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send what it was made of."""

@final
class ViewAttempt:
    """An operation on one base of a view. `floeberg.view.ViewAttempt` is its contract."""

    @property
    def changes(self) -> bool:
        """Whether the metadata differs from the base."""

    @property
    def metadata_json(self) -> str:
        """The new metadata, as canonical JSON. Spec: View Spec."""

    @property
    def requirements_json(self) -> str:
        """The list of `ViewRequirement`s of the REST catalog specification."""

    @property
    def updates_json(self) -> str:
        """The list of `ViewUpdate`s of the REST catalog specification."""

    def new_metadata_location(self) -> str:
        """A new name for its metadata file, by the new metadata.

        Raises:
            InvalidInputError: The view's compression codec does not exist.
        """

    def write_metadata(self, location: str) -> None:
        """Writes the new metadata durably. Names with `.gz` are compressed."""

    def view(self, metadata_location: str) -> View:
        """The view after the commit, with the metadata file that was written. Opens no file."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send its operation."""
