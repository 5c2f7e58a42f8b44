"""Which paths does a server have, and which of them does it offer?

Spec: REST catalog specification, `CatalogConfig.endpoints`, and the parameters `prefix` and `namespace`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from floeberg.catalog.names import dotted
from floeberg.errors import InvalidInputError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from floeberg.catalog.names import Identifier, Namespace

__all__ = ["NAMESPACE", "NAMESPACES", "TABLE", "VIEW", "Endpoints"]

NAMESPACES = "/v1/{prefix}/namespaces"
NAMESPACE = NAMESPACES + "/{namespace}"
TABLE = NAMESPACE + "/tables/{table}"
VIEW = NAMESPACE + "/views/{view}"
_DEFAULT = frozenset(
    {
        f"GET {NAMESPACES}",
        f"POST {NAMESPACES}",
        f"GET {NAMESPACE}",
        f"DELETE {NAMESPACE}",
        f"POST {NAMESPACE}/properties",
        f"GET {NAMESPACE}/tables",
        f"POST {NAMESPACE}/tables",
        f"GET {TABLE}",
        f"POST {TABLE}",
        f"DELETE {TABLE}",
        f"POST {NAMESPACE}/register",
        f"POST {TABLE}/metrics",
        "POST /v1/{prefix}/tables/rename",
        "POST /v1/{prefix}/transactions/commit",
    }
)
"""What a server offers that sends no list."""
_OF_VIEWS = frozenset(
    {
        f"GET {NAMESPACE}/views",
        f"POST {NAMESPACE}/views",
        f"GET {VIEW}",
        f"POST {VIEW}",
        f"DELETE {VIEW}",
        "POST /v1/{prefix}/views/rename",
    }
)
"""What a server offers besides, where it sends no list, and `view-endpoints-supported` is set."""
_SEPARATOR = "%1F"


@dataclass(frozen=True)
class Endpoints:
    """The paths of a server.

    Args:
        prefix: What stands before the paths, as the server sent it: already encoded.
        separator: What stands between the levels of a namespace, decoded.
        offered: The endpoints that the server offers, as `GET /v1/{prefix}/namespaces`.
    """

    prefix: str
    separator: str
    offered: frozenset[str]

    @classmethod
    def of(cls, properties: Mapping[str, str], listed: Iterable[str] | None) -> Endpoints:
        """Those of a configuration. `listed` is the list of the server, which may have entries that mean nothing."""
        if listed is None:
            of_views = _OF_VIEWS if properties.get("view-endpoints-supported") == "true" else frozenset()
            offered = _DEFAULT | of_views
        else:
            offered = frozenset(" ".join(each.split()) for each in listed)
        separator = unquote(properties.get("namespace-separator", _SEPARATOR))
        return cls(properties.get("prefix", "").strip("/"), separator, offered)

    def offers(self, endpoint: str) -> bool:
        """Whether the server offers an endpoint."""
        return endpoint in self.offered

    def without(self, endpoint: str) -> Endpoints:
        """The same paths without one that the server lists, and does not have."""
        return replace(self, offered=self.offered - {endpoint})

    def check(self, endpoint: str) -> None:
        """Raises `UnsupportedError` where the server does not offer an endpoint."""
        if endpoint not in self.offered:
            raise UnsupportedError(f"the server does not offer {endpoint}")

    def path(
        self, endpoint: str, *, namespace: Namespace = (), of: Identifier = (), **values: str
    ) -> tuple[str, str]:
        """The method and the path of an endpoint.

        Args:
            endpoint: As `offered` has it.
            namespace: The namespace in it.
            of: The table or view in it, with its namespace.
            **values: Other parts of the path, by their names with `_` for `-`.

        Raises:
            InvalidInputError: A name cannot stand in a path.
        """
        method, _, template = endpoint.partition(" ")
        known = {name.replace("_", "-"): _quoted(value) for name, value in values.items()}
        levels = of[:-1] if of else namespace
        if levels:
            known["namespace"] = self.joined(levels)
        if of:
            known["table"] = known["view"] = known["function"] = _quoted(of[-1])
        if not self.prefix:
            template = template.replace("/{prefix}", "")
        return method, template.format_map(known | {"prefix": self.prefix})

    def referenced_by(self, views: Iterable[Identifier]) -> str:
        """The parameter `referenced-by`, before it is encoded: the views that a table is loaded for."""
        return ",".join(self.separator.join(view).replace(",", "%2C") for view in views)

    def joined(self, namespace: Namespace) -> str:
        """The levels of a namespace in a path."""
        for level in namespace:
            if self.separator in level:
                raise InvalidInputError(
                    f"the namespace {dotted(namespace)!r} has the separator {self.separator!r} of the server in a level"
                )
        return _quoted(self.separator.join(namespace))


def _quoted(name: str) -> str:
    if name in (".", ".."):
        raise InvalidInputError(f"the name {name!r} means another path on a server")
    return quote(name, safe="")
