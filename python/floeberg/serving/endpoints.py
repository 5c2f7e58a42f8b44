"""Which endpoints has a server, and what answers each?

In: a catalog. Out: the endpoints that it can have. Spec: REST catalog specification, `CatalogConfig`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from floeberg.catalog import Catalog
from floeberg.errors import UnsupportedError
from floeberg.serving import namespaces, planning, tables, views
from floeberg.serving.answers import json_answer
from floeberg.serving.keys import LIFETIME

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.responses import Response

    from floeberg.serving.served import Asked, Served

__all__ = ["CONFIG", "ENDPOINTS", "Endpoint", "configuration", "offered"]

_NAMESPACES: Final = "/namespaces"
_NAMESPACE: Final = "/namespaces/{namespace}"
_TABLES: Final = f"{_NAMESPACE}/tables"
_TABLE: Final = f"{_TABLES}/{{table}}"
_VIEWS: Final = f"{_NAMESPACE}/views"
_VIEW: Final = f"{_VIEWS}/{{view}}"
CONFIG: Final = "/v1/config"
_POINTERS: Final = "way to remove a table without its files"


@dataclass(frozen=True)
class Endpoint:
    """An endpoint.

    Attributes:
        method: The method.
        path: The path, without `/v1`.
        answer: What answers.
        changes: Whether it changes the catalog.
        of: What the catalog has to have for it: views, transactions and the like, or nothing.
        needs_body: Whether a `POST` without a body is an error.
    """

    method: str
    path: str
    answer: Callable[[Asked], Response]
    changes: bool = False
    of: str = ""
    needs_body: bool = True

    @property
    def listed(self) -> str:
        """The endpoint, as the configuration lists it."""
        return f"{self.method} /v1/{{prefix}}{self.path}".replace("plan_id", "plan-id")


ENDPOINTS: Final = (
    Endpoint("GET", _NAMESPACES, namespaces.list_namespaces),
    Endpoint("POST", _NAMESPACES, namespaces.create_namespace, changes=True),
    Endpoint("GET", _NAMESPACE, namespaces.load_namespace),
    Endpoint("HEAD", _NAMESPACE, namespaces.namespace_exists),
    Endpoint("DELETE", _NAMESPACE, namespaces.drop_namespace, changes=True),
    Endpoint("POST", f"{_NAMESPACE}/properties", namespaces.update_properties, changes=True),
    Endpoint("GET", _TABLES, tables.list_tables),
    Endpoint("POST", _TABLES, tables.create_table, changes=True),
    Endpoint("GET", _TABLE, tables.load_table),
    Endpoint("HEAD", _TABLE, tables.table_exists),
    Endpoint("POST", _TABLE, tables.commit_table, changes=True),
    Endpoint("DELETE", _TABLE, tables.drop_table, changes=True),
    Endpoint("POST", f"{_NAMESPACE}/register", tables.register_table, changes=True),
    Endpoint("POST", f"{_TABLE}/metrics", tables.take_metrics),
    Endpoint("POST", f"{_TABLE}/unregister", tables.unregister_table, True, _POINTERS, needs_body=False),
    Endpoint("POST", f"{_TABLE}/plan", planning.plan_scan),
    Endpoint("GET", f"{_TABLE}/plan/{{plan_id}}", planning.fetch_plan),
    Endpoint("DELETE", f"{_TABLE}/plan/{{plan_id}}", planning.cancel_plan),
    Endpoint("POST", f"{_TABLE}/tasks", planning.fetch_tasks),
    Endpoint("POST", "/tables/rename", tables.rename_table, changes=True),
    Endpoint("POST", "/transactions/commit", tables.commit_transaction, changes=True, of="transactions"),
    Endpoint("GET", _VIEWS, views.list_views, of="views"),
    Endpoint("POST", _VIEWS, views.create_view, changes=True, of="views"),
    Endpoint("GET", _VIEW, views.load_view, of="views"),
    Endpoint("HEAD", _VIEW, views.view_exists, of="views"),
    Endpoint("POST", _VIEW, views.commit_view, changes=True, of="views"),
    Endpoint("DELETE", _VIEW, views.drop_view, changes=True, of="views"),
    Endpoint("POST", f"{_NAMESPACE}/register-view", views.register_view, changes=True, of="views"),
    Endpoint("POST", "/views/rename", views.rename_view, changes=True, of="views"),
)
"""All of them. Iceberg's clients look for `HEAD` of a table or a view before they create it."""


def offered(served: Served) -> list[Endpoint]:
    """The endpoints that a server has."""
    lacks = {
        name
        for name, has in (
            ("views", _has_views),
            ("transactions", _has_transactions),
            (_POINTERS, _keeps_files),
        )
        if not has(served.catalog)
    }
    return [each for each in ENDPOINTS if each.of not in lacks and not (served.read_only and each.changes)]


def configuration(asked: Asked) -> Response:
    """What a client has to know of the server."""
    return json_answer(
        {
            "defaults": {},
            "overrides": {"namespace-separator": "%1F"},
            "endpoints": [each.listed for each in offered(asked.served)],
            "idempotency-key-lifetime": f"PT{LIFETIME // 60}M",
        }
    )


def _has_views(catalog: Catalog) -> bool:
    try:
        catalog.do_view_exists(("floeberg", "view"))
    except UnsupportedError:
        return False
    return True


def _has_transactions(catalog: Catalog) -> bool:
    try:
        catalog.check_transactions()
    except UnsupportedError:
        return False
    return True


def _keeps_files(catalog: Catalog) -> bool:
    """Whether the catalog, or the server that it asks, can remove a table without its files."""
    own = ("unregister_table", "do_unregister_table")
    return any(getattr(type(catalog), name, None) is not getattr(Catalog, name) for name in own)
