"""In which order is a catalog checked?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

from floeberg import _native
from floeberg.catalog.check.address import ServerConnection, checked_names, checked_ports, checked_tls
from floeberg.catalog.check.fixes import catalog_fix
from floeberg.catalog.check.origins import shown_properties
from floeberg.catalog.check.recorder import Recorder, SkipStepError
from floeberg.catalog.check.result import CatalogCheck
from floeberg.catalog.check.store import STORE_STEPS, StorePlace, check_store
from floeberg.catalog.check.store_settings import has_own_credentials
from floeberg.catalog.names import dotted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from floeberg.catalog.names import Identifier, Namespace
    from floeberg.table import Table

__all__ = ["Check"]

_MOST_NAMESPACES = 20
"""In how many namespaces a table is looked for, where none is named."""


class CheckedCatalog(Protocol):
    """What a check asks a catalog for: `floeberg.catalog.Catalog` has it."""

    _needs_put_if_absent: ClassVar[bool]

    @property
    def storage_options(self) -> dict[str, str]: ...

    def list_namespaces(self) -> list[Namespace]: ...

    def list_tables(self, namespace: Namespace, /) -> list[Identifier]: ...

    def load_table(self, identifier: Identifier, /) -> Table: ...

    def _access(self) -> str: ...

    def _store_root(self, namespaces: Sequence[Namespace], /) -> str | None: ...


@dataclass(frozen=True)
class Check:
    """A check of one catalog.

    Args:
        name: The name of the catalog.
        kind: The name of its class.
        properties: Its properties, as they are known before it is reached.
        origins: Where each of them came from.
        table: The table to load; `None` is the first one.
        location: The folder to write to; `None` is the warehouse.
        read_only: Whether nothing is written.
        seconds: How long a step may take.
    """

    name: str
    kind: str
    properties: Mapping[str, str]
    origins: Mapping[str, str]
    table: Identifier | None
    location: str | None
    read_only: bool
    seconds: float

    def run(
        self, connection: Callable[[], ServerConnection], reached: Callable[[], CheckedCatalog]
    ) -> CatalogCheck:
        """Does all steps.

        Args:
            connection: Finds out what is between this process and the catalog.
            reached: Gives the catalog, which it may have to make.
        """
        recorder = Recorder(self.seconds)
        self._connect(recorder, connection)
        catalog = self._reach(recorder, reached)
        if catalog is None:
            for name in ("namespaces", "table"):
                recorder.skip(name, "the catalog was not reached")
            found: tuple[list[Namespace], Table | None] = [], None
        else:
            found = self._look_around(recorder, catalog)
        self._check_store(recorder, catalog, *found)
        return CatalogCheck(self.name, self.kind, recorder.steps)

    def _connect(self, recorder: Recorder, connection: Callable[[], ServerConnection]) -> None:
        known: list[ServerConnection] = []

        def configure() -> str:
            known.append(connection())
            return shown_properties(self.properties, self.origins)

        if not recorder.run("configuration", configure, fix=catalog_fix("configuration")):
            for name in ("dns", "tcp", "tls", "credentials"):
                recorder.skip(name, "the step 'configuration' failed")
            return
        found = known[0]
        recorder.run("dns", lambda: checked_names(found), fix=catalog_fix("dns"))
        recorder.run("tcp", lambda: checked_ports(found), fix=catalog_fix("tcp"), after=("dns",))
        recorder.run("tls", lambda: checked_tls(found), fix=catalog_fix("tls"), after=("dns", "tcp"))
        recorder.run("credentials", lambda: _credentials(found), fix=catalog_fix("credentials"))

    def _reach(self, recorder: Recorder, reached: Callable[[], CheckedCatalog]) -> CheckedCatalog | None:
        made: list[CheckedCatalog] = []

        def reach() -> str:
            made.append(reached())
            return made[0]._access()  # noqa: SLF001 - its own package

        before = tuple(each.name for each in recorder.steps)
        recorder.run("authentication", reach, fix=catalog_fix("authentication"), after=before)
        return made[0] if made and not any(each.ok is False for each in recorder.steps) else None

    def _look_around(
        self, recorder: Recorder, catalog: CheckedCatalog
    ) -> tuple[list[Namespace], Table | None]:
        namespaces: list[Namespace] = []
        loaded: list[Table] = []

        def list_them() -> str:
            namespaces.extend(catalog.list_namespaces())
            return f"{len(namespaces)} at the top"

        def load_one() -> str:
            wanted = self.table or _first_table(catalog, namespaces)
            loaded.append(catalog.load_table(wanted))
            return (
                f"{dotted(wanted)}: format version {loaded[0].format_version}, {loaded[0].metadata_location}"
            )

        recorder.run("namespaces", list_them, fix=catalog_fix("namespaces"))
        after = () if self.table else ("namespaces",)
        recorder.run("table", load_one, fix=catalog_fix("table"), after=after)
        return namespaces, loaded[0] if loaded else None

    def _check_store(
        self,
        recorder: Recorder,
        catalog: CheckedCatalog | None,
        namespaces: list[Namespace],
        table: Table | None,
    ) -> None:
        try:
            place = self._place(catalog, namespaces, table)
        except SkipStepError as reason:
            for name in STORE_STEPS:
                recorder.skip(name, str(reason))
            return
        check_store(recorder, place)

    def _place(
        self, catalog: CheckedCatalog | None, namespaces: list[Namespace], table: Table | None
    ) -> StorePlace:
        """Where the store is looked at, and written to.

        Raises:
            SkipStepError: Nobody says where files are.
        """
        no_writes = "the check is read only" if self.read_only else ""
        if catalog is None:
            raise SkipStepError("the catalog was not reached: it gives the location and the storage options")
        options = catalog.storage_options
        root = self.location or catalog._store_root(namespaces)  # noqa: SLF001 - its own package
        vended = {} if table is None else dict(table._inner.storage_options)  # noqa: SLF001 - the package's own
        if table is not None and has_own_credentials(vended, options):
            own = {key: "the server" for key, value in vended.items() if options.get(key) != value}
            return StorePlace(
                table.location(),
                vended,
                {**self.origins, **own},
                no_writes
                or "the server gives credentials for each table, and the check writes into no table",
            )
        if root is not None:
            return StorePlace(
                _native.location_from_user(root),
                options,
                self.origins,
                no_writes,
                is_given=self.location is not None or root == self.properties.get("warehouse"),
                decides=catalog._needs_put_if_absent,  # noqa: SLF001 - the same
            )
        if table is None:
            raise SkipStepError(
                "the catalog does not say where its files are, and no table was loaded: give location"
            )
        return StorePlace(
            table.location(),
            options,
            self.origins,
            no_writes or "the catalog names no folder but those of tables: give location",
        )


def _credentials(connection: ServerConnection) -> str:
    if connection.credentials is None:
        raise SkipStepError("the catalog asks for none")
    return connection.credentials()


def _first_table(catalog: CheckedCatalog, namespaces: list[Namespace]) -> Identifier:
    for each in namespaces[:_MOST_NAMESPACES]:
        for table in catalog.list_tables(each):
            return table
    raise SkipStepError(f"no table in the first {_MOST_NAMESPACES} namespaces at the top: give table")
