"""What does a person with a browser see of a server?

In: requests of a browser. Out: pages: what the catalog has, and the report of a table. They run no script and ask for
nothing else; their headers forbid both.

What comes from a catalog is escaped where it becomes HTML. A namespace is in the path as in that of the REST catalog.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from starlette.responses import Response

from floeberg._display import Html, escaped, shown
from floeberg.errors import NoSuchNamespaceError, NotInstalledError
from floeberg.report.files import count_shown
from floeberg.report.style import STYLE
from floeberg.serving.manifests import check_manifests
from floeberg.serving.names import SEPARATOR, levels_in, table_in
from floeberg.serving.refusals import RefusedError, refusal_of
from floeberg.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from floeberg.catalog import Catalog
    from floeberg.catalog.names import Namespace
    from floeberg.serving.served import Asked

__all__ = ["PAGES", "error_page", "is_page", "report_page", "start_page"]

_REPORTS: Final = "/report/"
PAGES: Final = ("/", f"{_REPORTS}{{namespace}}/{{table}}")
_NOTHING: Final = ("default-src", "base-uri", "form-action", "frame-ancestors")
_POLICY: Final = "; ".join(["style-src 'unsafe-inline'", *(f"{each} 'none'" for each in _NOTHING)])
_HEADERS: Final = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_MOST_NAMESPACES: Final = 200
_MOST_TABLES: Final = 1000
_UNAVAILABLE, _NOT_IMPLEMENTED = 503, 501
_AT_ONCE = threading.BoundedSemaphore(2)
"""Reports that are made at a time: each reads the manifests of a table."""
_PATIENCE: Final = 30.0


def is_page(path: str) -> bool:
    """Whether a path is one of a browser, and not one of the REST catalog."""
    return path == "/" or path.startswith(_REPORTS)


def start_page(asked: Asked) -> Response:
    """The namespaces and the tables of the catalog, or those of a namespace."""
    catalog, within = asked.catalog, asked.query.get("namespace")
    start = levels_in(within) if within else ()
    if start:
        asked.served.check_folder(start)
        if not catalog.namespace_exists(start):
            raise NoSuchNamespaceError(f"there is no namespace {shown('.'.join(start))!r}")
    blocks: list[str] = []
    tables = number = 0
    is_whole = True
    for namespace in _namespaces(catalog, start):
        if number == _MOST_NAMESPACES or tables >= _MOST_TABLES:
            is_whole = False
            break
        found = sorted(catalog.list_tables(namespace))[: _MOST_TABLES + 1]
        kept = found[: _MOST_TABLES - tables]
        is_whole = is_whole and len(kept) == len(found)
        number, tables = number + 1, tables + len(kept)
        blocks.append(_namespace_block(namespace, [each[-1] for each in kept]))
    counts = f"{count_shown(number, 'namespace')} and {count_shown(tables, 'table')}"
    if not blocks:
        blocks.append('<p class="lead">The catalog has no namespace yet.</p>')
    if not is_whole:
        blocks.append(
            f'<p class="lead">There is more: the first {counts} are shown. '
            "The name of a namespace leads to a page of its own.</p>"
        )
    title = shown(catalog.name) if not start else shown(".".join(start))
    up = '<p><a href="/">All namespaces</a></p>' if start else ""
    lead = f"{counts}. The name of a table leads to its report."
    return _page(title, "Catalog" if not start else "Namespace", lead, up + "".join(blocks))


def report_page(asked: Asked) -> Response:
    """The report of a table; with the parameter `where`, what the filter leaves out."""
    identifier = table_in(asked.path)
    table = Table(
        asked.served.load(identifier),
        operations=asked.catalog.table_operations(identifier),
        listed=(asked.catalog, identifier),
    )
    check_manifests(asked, table, table.scan().snapshot_id)
    if not _AT_ONCE.acquire(timeout=_PATIENCE):
        raise RefusedError(
            _UNAVAILABLE,
            "ServiceUnavailableException",
            "other reports are being made: load the page again later",
        )
    try:
        report = table.report(row_filter=asked.query.get("where") or None)
    finally:
        _AT_ONCE.release()
    return Response(report.html, headers=_HEADERS, media_type="text/html")


def error_page(error: Exception) -> Response:
    """What a person sees of an error. Its words are those of the REST catalog."""
    if isinstance(error, NotInstalledError):
        error = RefusedError(_NOT_IMPLEMENTED, "NotInstalled", str(error))
    status, kind, message, headers = refusal_of(error)
    said = f'<div class="card"><p>{_long(message)}</p></div><p><a href="/">All namespaces</a></p>'
    page = _page(f"{status}: {kind}", "Error", "The page cannot be shown.", said)
    page.status_code = status
    page.headers.update(headers)
    return page


def _long(text: str) -> str:
    """A long text, whole, whose parts are escaped one by one: values are shown shorter."""
    return "".join(escaped(text[start : start + 100]) for start in range(0, min(len(text), 2000), 100))


def _namespaces(catalog: Catalog, start: Namespace) -> Iterator[Namespace]:
    """A namespace and those in it, or all."""
    if start:
        yield start
    for each in sorted(catalog.list_namespaces(start)):
        yield from _namespaces(catalog, each)


def _namespace_block(namespace: Namespace, tables: list[str]) -> str:
    name = escaped(".".join(namespace))
    path = quote(SEPARATOR.join(namespace), safe="")
    links = "".join(
        f'<li><a href="{_REPORTS}{path}/{quote(table, safe="")}">{escaped(table)}</a></li>'
        for table in tables
    )
    listed = f"<ul>{links}</ul>" if links else '<p class="small">no tables</p>'
    return f'<section class="card"><h2><a href="/?namespace={path}">{name}</a></h2>{listed}</section>'


def _page(title: str, kind: str, lead: str, body: str) -> Response:
    heading = escaped(title)
    html = (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{heading} - Floeberg</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f'<header>\n<p class="place">{escaped(kind)}</p>\n<h1>{heading}</h1>\n<p class="lead">{escaped(lead)}</p>\n'
        f"</header>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )
    return Response(Html(html), headers=_HEADERS, media_type="text/html")
