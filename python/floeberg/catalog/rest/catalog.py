"""What does a catalog behind a server do?

Spec: REST catalog specification: namespaces, tables and views.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg.catalog.base import Catalog
from floeberg.catalog.names import checked_identifier, checked_namespace, dotted
from floeberg.catalog.rest.address import connection_of, is_location
from floeberg.catalog.rest.answers import CONFLICT, NOT_FOUND, by_status
from floeberg.catalog.rest.client import UnknownOutcome
from floeberg.catalog.rest.configuration import UNPLACED, SnapshotMode, texts
from floeberg.catalog.rest.endpoints import NAMESPACE, NAMESPACES, TABLE, VIEW
from floeberg.catalog.rest.functions import (
    FUNCTION,
    FUNCTIONS,
    function_of,
    identifier_of_levels,
)
from floeberg.catalog.rest.metrics import ServerReporter
from floeberg.catalog.rest.presets import with_preset
from floeberg.catalog.rest.server import Server
from floeberg.catalog.rest.tables import RestTableOperations
from floeberg.catalog.rest.transactions import COMMIT_ALL, commit_to_server
from floeberg.catalog.rest.updates import named
from floeberg.catalog.rest.views import RestViewOperations
from floeberg.errors import (
    FloebergError,
    InvalidDataError,
    NamespaceAlreadyExistsError,
    NamespaceNotEmptyError,
    NotFoundError,
    UnsupportedError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from floeberg.catalog.check.address import ServerConnection
    from floeberg.catalog.names import Identifier, Namespace
    from floeberg.catalog.rest.answers import Refusal
    from floeberg.commit.operations import OpenedTable
    from floeberg.commit.several import TableCommit
    from floeberg.metrics import MetricsReporter
    from floeberg.table import Table
    from floeberg.udf import CatalogFunction

__all__ = ["RestCatalog"]

_UNREGISTER = f"POST {TABLE}/unregister"


class RestCatalog(Catalog):
    """Tables and views behind a server of the Iceberg REST catalog specification.

    The server is asked for its configuration at once: its defaults and overrides are properties of the catalog.

    Args:
        name: The name of the catalog.
        properties: `uri`, the address of the server; `warehouse`, as the server knows it; those that say who you are:
            `credential`, `token`, `oauth2-server-uri`, `scope`, `audience`, `resource`, `rest.auth.type` and
            `rest.auth.basic.*`; `header.<name>`; `ssl.*`, `rest.proxy` and `rest.client.*`; and storage options.

    Raises:
        StorageError: The server cannot be reached.
        PermissionDeniedError: The server does not know who you are.
        InvalidDataError: What answers is no REST catalog.
    """

    def __init__(self, name: str, properties: Mapping[str, str] | None = None, **more: str) -> None:
        super().__init__(name, properties, **more)
        self._user_keys = frozenset(self._properties)
        self._given = with_preset(self._properties)
        self._server = Server(self._name, self._given)
        self._properties = dict(self._server.properties)
        # What it says is checked before a table is loaded.
        SnapshotMode.of(self._properties)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._name, self._given)

    @classmethod
    def _connection(cls, properties: Mapping[str, str], origins: Mapping[str, str]) -> ServerConnection:
        return connection_of(with_preset(properties), origins)

    def _access(self) -> str:
        return self._server.ask_again()

    def _store_root(self, namespaces: Sequence[Namespace]) -> str | None:
        """A namespace says where its tables are made. A warehouse is a name, unless it is an address."""
        if is_location(self._given.get("warehouse", "")):
            return self._given["warehouse"]
        known = (self.do_load_namespace_properties(each).get("location") for each in namespaces[:1])
        return next((each for each in known if each and is_location(each)), None)

    def _property_origins(self) -> dict[str, str]:
        kind = f"the type {self._given.get('type')!r}"
        added = dict.fromkeys(self._given.keys() - self._user_keys, kind)
        sent = {key: "the server" for key, value in self._properties.items() if self._given.get(key) != value}
        return {**self._origins, **added, **sent}

    def close(self) -> None:
        """Closes the connections, after reports on their way. A later call opens them again."""
        super().close()
        self._server.close()

    @property
    def storage_options(self) -> dict[str, str]:
        """The storage options for the files of its tables, which the server may add to for each table."""
        return self._server.storage_options

    def _reporters_of(self, identifier: Identifier) -> tuple[MetricsReporter, ...]:
        """The reporter of the user, and the server."""
        of_server = ServerReporter.of(self._server, identifier)
        return (*super()._reporters_of(identifier), *(() if of_server is None else (of_server,)))

    # Namespaces.

    def do_namespace_exists(self, namespace: Namespace) -> bool:
        return self._is_there(NAMESPACE, namespace=namespace)

    def do_create_namespace(self, namespace: Namespace, properties: dict[str, str]) -> None:
        for depth in range(1, len(namespace)):
            if not self.do_namespace_exists(namespace[:depth]):
                self._make_namespace(namespace[:depth], {}, may_exist=True)
        self._make_namespace(namespace, properties, may_exist=False)

    def do_drop_namespace(self, namespace: Namespace) -> None:
        def not_empty(refusal: Refusal) -> FloebergError:
            return NamespaceNotEmptyError(
                f"the namespace {dotted(namespace)!r} is not empty: {refusal.message}"
            )

        refused = by_status(
            {NOT_FOUND: lambda _: self._server.no_such_namespace(namespace), CONFLICT: not_empty}
        )
        self._server.change(
            f"DELETE {NAMESPACE}",
            namespace=namespace,
            refused=refused,
            is_done=lambda: not self.do_namespace_exists(namespace),
        )

    def do_list_namespaces(self, namespace: Namespace) -> Iterable[Namespace]:
        query = {"parent": self._server.endpoints.separator.join(namespace)} if namespace else {}
        for page in self._pages(f"GET {NAMESPACES}", query=query):
            for each in _list(page, "namespaces"):
                levels = tuple(map(str, each)) if isinstance(each, list) else ()
                # A server may give all that are below.
                if levels[:-1] == namespace:
                    yield levels

    def do_load_namespace_properties(self, namespace: Namespace) -> dict[str, str]:
        refused = by_status({NOT_FOUND: lambda _: self._server.no_such_namespace(namespace)})
        return texts(
            self._server.ask(f"GET {NAMESPACE}", namespace=namespace, refused=refused).body, "properties"
        )

    def do_update_namespace_properties(
        self, namespace: Namespace, removals: set[str], updates: dict[str, str]
    ) -> None:
        self._server.change(
            f"POST {NAMESPACE}/properties",
            namespace=namespace,
            body={"removals": sorted(removals), "updates": updates},
            is_done=lambda: _are_updated(self.do_load_namespace_properties(namespace), removals, updates),
        )

    # Tables.

    def table_operations(self, identifier: Identifier) -> RestTableOperations:
        """The operations of a table."""
        return RestTableOperations(self, self._server, identifier)

    def do_table_exists(self, identifier: Identifier) -> bool:
        return self._is_there(TABLE, of=identifier, query={"snapshots": "refs"})

    def do_list_tables(self, namespace: Namespace) -> Iterable[Identifier]:
        return self._identifiers(f"GET {NAMESPACE}/tables", namespace)

    def do_register_table(self, identifier: Identifier, metadata_location: str) -> None:
        self._register(identifier, metadata_location, {})

    def do_replace_registered_table(self, identifier: Identifier, metadata_location: str) -> None:
        self._register(identifier, metadata_location, {"overwrite": True})

    def do_rename_table(self, before: Identifier, after: Identifier) -> None:
        self._rename(
            "POST /v1/{prefix}/tables/rename",
            before,
            after,
            self.no_such_table,
            self.table_already_exists,
            self.do_table_exists,
        )

    def do_drop_table(self, identifier: Identifier) -> None:
        self._drop_table(identifier, purge=False)

    def do_purge_table(self, identifier: Identifier, table: OpenedTable, *, outside: bool) -> list[str]:
        """Has the server drop the table and remove its files."""
        del table
        if outside:
            raise UnsupportedError(
                "outside: the server removes the files of a table, and decides which of them: leave it out"
            )
        self._drop_table(identifier, purge=True)
        return []

    def check_transactions(self) -> None:
        """Raises `UnsupportedError` where the server does not offer a commit to several tables."""
        self._server.endpoints.check(COMMIT_ALL)

    def do_commit_all(self, commits: Sequence[TableCommit]) -> list[OpenedTable]:
        return commit_to_server(self, self._server, commits)

    # Views.

    def view_operations(self, identifier: Identifier) -> RestViewOperations:
        """The operations of a view."""
        return RestViewOperations(self, self._server, identifier)

    def do_view_exists(self, identifier: Identifier) -> bool:
        return self._is_there(VIEW, of=identifier)

    def do_list_views(self, namespace: Namespace) -> Iterable[Identifier]:
        return self._identifiers(f"GET {NAMESPACE}/views", namespace)

    def do_register_view(self, identifier: Identifier, metadata_location: str) -> None:
        refused = by_status({CONFLICT: lambda _: self.view_already_exists(identifier)})
        self._server.change(
            f"POST {NAMESPACE}/register-view",
            namespace=identifier[:-1],
            body={"name": identifier[-1], "metadata-location": metadata_location},
            refused=refused,
            is_done=lambda: self.do_view_exists(identifier),
        )

    def do_rename_view(self, before: Identifier, after: Identifier) -> None:
        self._rename(
            "POST /v1/{prefix}/views/rename",
            before,
            after,
            self.no_such_view,
            self.view_already_exists,
            self.do_view_exists,
        )

    def do_drop_view(self, identifier: Identifier) -> None:
        refused = by_status({NOT_FOUND: lambda _: self.no_such_view(identifier)})
        self._server.change(
            f"DELETE {VIEW}",
            of=identifier,
            refused=refused,
            is_done=lambda: not self.do_view_exists(identifier),
        )

    # What other catalogs do not have.

    def load_table(
        self,
        identifier: str | Iterable[str],
        *,
        referenced_by: Iterable[str | Iterable[str]] = (),
    ) -> Table:
        """Loads a table.

        Args:
            identifier: The namespace and the name.
            referenced_by: The views that the table is loaded for, the outermost first. A server may let who may read a
                view read its tables.

        Returns:
            The table at its current metadata.

        Raises:
            NoSuchTableError: The table does not exist; or it is a view.
            FloebergError: The server refused it, or did not answer.
        """
        views = [checked_identifier("referenced_by", each) for each in referenced_by]
        if not views:
            return super().load_table(identifier)
        levels = checked_identifier("identifier", identifier)
        operations = RestTableOperations(self, self._server, levels, tuple(views))
        opened, is_whole = operations.load_to_read(None)
        return self._table(levels, opened, operations, is_whole=is_whole)

    def unregister_table(self, identifier: str | Iterable[str]) -> str:
        """Removes a table from the catalog, and keeps all of its files, so that another catalog can register it.

        Commits after it fail.

        Args:
            identifier: The namespace and the name.

        Returns:
            The last metadata file.

        Raises:
            NoSuchTableError: The table does not exist.
            UnsupportedError: The server does not offer it.
            StorageError: The outcome is unknown, as `outcome_unknown` says.
        """
        levels = checked_identifier("identifier", identifier)
        refused = by_status({NOT_FOUND: lambda _: self.no_such_table(levels)})
        try:
            answer = self._server.ask(_UNREGISTER, of=levels, refused=refused, is_sent_again=True).body
        except UnknownOutcome as outcome:
            raise self._server.unknown(outcome) from outcome
        location = answer.get("metadata-location")
        if not isinstance(location, str) or not location:
            raise InvalidDataError(
                f"the table {dotted(levels)!r} was removed from the catalog, and the answer of the server has no "
                "metadata location"
            )
        return location

    def list_functions(self, namespace: str | Iterable[str]) -> list[Identifier]:
        """Lists the functions directly in a namespace, in order.

        Args:
            namespace: The levels of the namespace.

        Raises:
            NoSuchNamespaceError: The namespace does not exist.
            UnsupportedError: The server has no functions.
        """
        levels = checked_namespace("namespace", namespace)
        pages = self._pages(f"GET {FUNCTIONS}", namespace=levels)
        return sorted(identifier_of_levels(each) for page in pages for each in _list(page, "identifiers"))

    def load_function(self, identifier: str | Iterable[str]) -> CatalogFunction:
        """Loads a function of SQL, with all of its definitions.

        Args:
            identifier: The namespace and the name.

        Raises:
            NotFoundError: The function does not exist.
            UnsupportedError: The server has no functions.
            InvalidDataError: The answer does not describe a function.
        """
        levels = checked_identifier("identifier", identifier)
        absent = NotFoundError(f"the catalog {self._name!r} has no function {dotted(levels)!r}")
        refused = by_status({NOT_FOUND: lambda _: absent})
        return function_of(levels, self._server.ask(f"GET {FUNCTION}", of=levels, refused=refused).body)

    # What they share.

    def _default_location(self, identifier: Identifier) -> str:
        del identifier
        return UNPLACED

    def _is_there(self, path: str, *, query: Mapping[str, str] | None = None, **what: Any) -> bool:  # noqa: ANN401
        """Whether something is there. The server that offers it is asked for no content."""
        endpoint = f"HEAD {path}"
        if not self._server.endpoints.offers(endpoint):
            endpoint = f"GET {path}"
        else:
            query = None
        absent: list[Refusal] = []

        def refused(refusal: Refusal) -> FloebergError | None:
            if refusal.status == NOT_FOUND:
                absent.append(refusal)
            return None

        try:
            self._server.ask(endpoint, query=query, refused=refused, **what)
        except FloebergError:
            if absent:
                return False
            raise
        return True

    def _make_namespace(self, namespace: Namespace, properties: dict[str, str], *, may_exist: bool) -> None:
        exists = NamespaceAlreadyExistsError(f"the namespace {dotted(namespace)!r} already exists")
        try:
            self._server.change(
                f"POST {NAMESPACES}",
                body={"namespace": list(namespace), "properties": properties},
                refused=by_status({CONFLICT: lambda _: exists}),
                is_done=lambda: self.do_namespace_exists(namespace),
            )
        except NamespaceAlreadyExistsError:
            if not may_exist:
                raise

    def _register(self, identifier: Identifier, metadata_location: str, more: dict[str, object]) -> None:
        refused = by_status({CONFLICT: lambda _: self.table_already_exists(identifier)})

        def is_done() -> bool:
            try:
                found = self.table_operations(identifier).load(None)
            except FloebergError:
                return False
            return found.metadata_location == metadata_location

        self._server.change(
            f"POST {NAMESPACE}/register",
            namespace=identifier[:-1],
            body={"name": identifier[-1], "metadata-location": metadata_location, **more},
            refused=refused,
            is_done=is_done,
        )

    def _rename(  # noqa: PLR0913, PLR0917 - what tables and views differ in
        self,
        endpoint: str,
        before: Identifier,
        after: Identifier,
        no_such: Callable[[Identifier], FloebergError],
        exists: Callable[[Identifier], FloebergError],
        is_there: Callable[[Identifier], bool],
    ) -> None:
        def absent(refusal: Refusal) -> FloebergError:
            is_namespace = "Namespace" in refusal.kind
            return self._server.no_such_namespace(after[:-1]) if is_namespace else no_such(before)

        self._server.change(
            endpoint,
            body={"source": named(before), "destination": named(after)},
            refused=by_status({CONFLICT: lambda _: exists(after), NOT_FOUND: absent}),
            is_done=lambda: is_there(after) and not is_there(before),
        )

    def _drop_table(self, identifier: Identifier, *, purge: bool) -> None:
        refused = by_status({NOT_FOUND: lambda _: self.no_such_table(identifier)})
        self._server.change(
            f"DELETE {TABLE}",
            of=identifier,
            query={"purgeRequested": str(purge).lower()},
            refused=refused,
            is_done=lambda: not self.do_table_exists(identifier),
        )

    def _identifiers(self, endpoint: str, namespace: Namespace) -> Iterator[Identifier]:
        for page in self._pages(endpoint, namespace=namespace):
            yield from map(_identifier, _list(page, "identifiers"))

    def _pages(
        self, endpoint: str, *, namespace: Namespace = (), query: Mapping[str, str] | None = None
    ) -> Iterator[dict[str, Any]]:
        """The pages of a list, as long as the server says that there is another."""

        def absent(_: Refusal) -> FloebergError:
            levels = namespace or tuple(
                (query or {}).get("parent", "").split(self._server.endpoints.separator)
            )
            return self._server.no_such_namespace(levels)

        refused = by_status({NOT_FOUND: absent})
        token, seen = "", set[str]()
        while token not in seen:
            seen.add(token)
            asked = {**(query or {}), "pageToken": token}
            if (size := self._properties.get("rest-page-size")) is not None:
                asked["pageSize"] = size
            page = self._server.ask(endpoint, namespace=namespace, query=asked, refused=refused).body
            yield page
            token = page.get("next-page-token") or ""
            if not token:
                return
        raise InvalidDataError("the server gives the same page of a list again and again")


def _list(page: dict[str, Any], name: str) -> list[Any]:
    found: object = page.get(name)
    if not isinstance(found, list):
        raise InvalidDataError(f"expected a list {name!r} in the answer of the server")
    return found


def _identifier(found: object) -> Identifier:
    levels, name = (
        (found.get(each) for each in ("namespace", "name")) if isinstance(found, dict) else (None, None)
    )
    if not isinstance(levels, list) or not isinstance(name, str):
        raise InvalidDataError("expected identifiers with a 'namespace' and a 'name'")
    return (*map(str, levels), name)


def _are_updated(known: Mapping[str, str], removals: set[str], updates: Mapping[str, str]) -> bool:
    return not removals & known.keys() and updates.items() <= known.items()
