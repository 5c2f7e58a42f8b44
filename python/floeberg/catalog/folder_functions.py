"""How does a catalog of folders keep functions of SQL?

The specification says what is in a metadata file, and leaves its name to catalogs. Here a function is the folder
`.functions/<name>` in that of its namespace, where no table and no namespace can be, and its versions are the files
`v<V>.metadata.json`. The one with the highest number is the current one.

Invariant: a version is written only where none is, so that of two writers one gets a conflict.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import TYPE_CHECKING

from floeberg.catalog.names import checked_identifier, dotted
from floeberg.catalog.namespaces import Namespaces
from floeberg.errors import (
    AlreadyExistsError,
    CommitConflictError,
    CommitStateUnknownError,
    FloebergError,
    InvalidInputError,
    NamespaceNotEmptyError,
    NotFoundError,
)
from floeberg.udf.files import read_udf, write_udf
from floeberg.udf.function import CatalogFunction
from floeberg.udf.metadata import UdfMetadata

if TYPE_CHECKING:
    from collections.abc import Iterable

    from floeberg.catalog.folders import Folders
    from floeberg.catalog.names import Identifier, Namespace

__all__ = ["FUNCTIONS", "FolderFunctions"]

FUNCTIONS = ".functions"
"""The folder of the functions of a namespace. Folders whose names begin with a dot are no tables and no namespaces."""
_VERSION = re.compile(r"v([1-9][0-9]{0,17})\.metadata\.json")


class FolderFunctions(Namespaces):
    """The functions of a catalog of folders."""

    _folders: Folders

    def create_function(self, identifier: str | Iterable[str], metadata: UdfMetadata) -> CatalogFunction:
        """Adds a function of SQL. Nothing runs it here.

        Args:
            identifier: The namespace and the name.
            metadata: What it is.

        Returns:
            The function.

        Raises:
            AlreadyExistsError: A function of that name exists.
            NoSuchNamespaceError: The namespace does not exist.
            InvalidInputError: The metadata has no definition, or the name cannot be that of a folder.

        Examples:
            >>> import floeberg as fb
            >>> from floeberg.udf import UdfMetadata
            >>> files = fb.load_catalog("files", type="filesystem", warehouse="memory://doc/functions")
            >>> files.create_namespace("math")
            >>> add_one = UdfMetadata.new().with_definition({"x": "int"}, "int", sql={"spark": "x + 1"})
            >>> files.create_function("math.add_one", add_one).udf
            UdfMetadata((int))
            >>> files.list_functions("math")
            [('math', 'add_one')]
        """
        levels = self._function_identifier(identifier)
        self._known_namespace(levels[:-1])
        if not isinstance(metadata, UdfMetadata):
            raise InvalidInputError(f"metadata: expected a UdfMetadata, found {type(metadata).__name__}")
        if not metadata.definitions:
            raise InvalidInputError("metadata: expected one definition or more: add it by with_definition")
        if self._function_version(levels):
            raise self._function_exists(levels)
        return self._write_function(levels, 1, metadata, self._function_exists(levels))

    def replace_function(self, function: CatalogFunction, metadata: UdfMetadata) -> CatalogFunction:
        """Gives a function new metadata, if it has not changed since it was loaded.

        Args:
            function: The function, as `load_function` gave it.
            metadata: What it becomes, made of `function.udf`.

        Returns:
            The function after it.

        Raises:
            CommitConflictError: Another writer changed or dropped the function: load it again, and decide again.
            CommitStateUnknownError: The outcome is unknown.
            InvalidInputError: The metadata is that of another function, or has no definition.

        Examples:
            >>> import floeberg as fb
            >>> from floeberg.udf import UdfMetadata
            >>> files = fb.load_catalog("files", type="filesystem", warehouse="memory://doc/replaced")
            >>> files.create_namespace("math")
            >>> two = UdfMetadata.new().with_definition({}, "int", sql={"spark": "1"})
            >>> function = files.create_function("math.two", two)
            >>> function = files.replace_function(
            ...     function, function.udf.with_definition({}, "int", sql={"spark": "2"})
            ... )
            >>> function.udf.definition("").sql_for("spark").sql
            '2'
        """
        levels = self._function_identifier(function.identifier)
        if not isinstance(metadata, UdfMetadata) or not metadata.definitions:
            raise InvalidInputError("metadata: expected a UdfMetadata with one definition or more")
        if metadata.uuid != function.udf.uuid:
            raise InvalidInputError(
                f"metadata: it is that of another function: the UUID is {metadata.uuid}, and {dotted(levels)!r} has "
                f"{function.udf.uuid}: begin with the `udf` of the function"
            )
        number = self._function_version(levels)
        conflict = CommitConflictError(
            f"another writer changed or dropped the function {dotted(levels)!r}: load it again"
        )
        if not number or self._function_file(levels, number) != function.metadata_location:
            raise conflict
        return self._write_function(levels, number + 1, metadata, conflict)

    def load_function(self, identifier: str | Iterable[str]) -> CatalogFunction:
        """Loads a function of SQL, with all of its definitions.

        Args:
            identifier: The namespace and the name.

        Raises:
            NotFoundError: The function does not exist.
            InvalidDataError: Its metadata file is damaged. The error names it.
        """
        levels = self._function_identifier(identifier)
        number = self._function_version(levels)
        if not number:
            raise NotFoundError(f"the catalog {self._name!r} has no function {dotted(levels)!r}")
        return self._loaded_function(levels, self._function_file(levels, number))

    def list_functions(self, namespace: str | Iterable[str]) -> list[Identifier]:
        """Lists the functions directly in a namespace, in order.

        Raises:
            NoSuchNamespaceError: The namespace does not exist.
        """
        levels = self._known_namespace(namespace)
        names = self._folders.inside(f"{self._folder(levels)}/{FUNCTIONS}")
        found = [(*levels, each) for each in names if not each.startswith(".")]
        return sorted(each for each in found if self._function_version(each))

    def drop_function(self, identifier: str | Iterable[str]) -> None:
        """Drops a function, with its metadata files.

        Raises:
            NotFoundError: The function does not exist.
        """
        levels = self._function_identifier(identifier)
        if not self._function_version(levels):
            raise NotFoundError(f"the catalog {self._name!r} has no function {dotted(levels)!r}")
        folder = self._function_folder(levels)
        self._folders.check_no_link(folder)
        self._folders.remove_all(folder)

    @abstractmethod
    def _folder(self, identifier: Identifier) -> str:
        """The folder of a table or a namespace."""

    def _end_functions(self, namespace: Namespace) -> None:
        """Removes the folders of functions of a namespace that has none, so that it may be dropped.

        Raises:
            NamespaceNotEmptyError: It has functions.
        """
        folder = f"{self._folder(namespace)}/{FUNCTIONS}"
        if not self._folders.is_there(folder):
            return
        if left := self.list_functions(namespace):
            raise NamespaceNotEmptyError(
                f"the namespace {dotted(namespace)!r} is not empty: it has the function {left[0][-1]!r}"
            )
        for name in self._folders.inside(folder):
            self._folders.remove_empty(f"{folder}/{name}")
        self._folders.remove_empty(folder)

    def _function_folder(self, levels: Identifier) -> str:
        # The catalog checks the name as it checks that of a table.
        place = self._folder(levels)
        name = place[len(self._folder(levels[:-1])) :]
        return f"{self._folder(levels[:-1])}/{FUNCTIONS}{name}"

    def _function_identifier(self, identifier: str | Iterable[str]) -> Identifier:
        levels = checked_identifier("identifier", identifier)
        if levels[-1].startswith("."):
            raise InvalidInputError(
                f"identifier: a function cannot be named {levels[-1]!r}: it begins with a dot"
            )
        return levels

    def _function_file(self, levels: Identifier, number: int) -> str:
        return f"{self._function_folder(levels)}/v{number}.metadata.json"

    def _function_version(self, levels: Identifier) -> int:
        """The number of the current version; 0 where there is none."""
        names = self._folders.files_in(self._function_folder(levels))
        return max((int(found[1]) for each in names if (found := _VERSION.fullmatch(each))), default=0)

    def _write_function(
        self, levels: Identifier, number: int, metadata: UdfMetadata, taken: FloebergError
    ) -> CatalogFunction:
        location = self._function_file(levels, number)
        if number == 1:
            self._folders.make(self._function_folder(levels))
        try:
            write_udf(location, metadata._at(self._function_folder(levels)), self.storage_options)  # noqa: SLF001 - the package's own
        except AlreadyExistsError as error:
            raise taken from error
        except FloebergError as error:
            if error.outcome_unknown:
                raise CommitStateUnknownError(
                    f"whether the function {dotted(levels)!r} was changed is not known: {error.message}",
                    context={"metadata": location} | error.context,
                ) from error
            raise
        return self._loaded_function(levels, location)

    def _loaded_function(self, levels: Identifier, location: str) -> CatalogFunction:
        metadata = read_udf(location, self.storage_options)
        return CatalogFunction(levels, metadata._json, location)  # noqa: SLF001 - the same

    def _function_exists(self, levels: Identifier) -> AlreadyExistsError:
        return AlreadyExistsError(f"the function {dotted(levels)!r} already exists")
