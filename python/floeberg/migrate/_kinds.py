"""What is an object of a script: a table, a scan, a transaction?

In: an expression, and what names stand for. Out: the class that it surely has, or `None`.
"""

from __future__ import annotations

import ast

__all__ = ["Scope", "dotted", "kind_of"]

_CATALOGS = {"load_catalog", "load_rest", "load_sql", "load_glue", "load_hive", "load_in_memory"}
_CLASSES = {
    "Catalog": "Catalog",
    "SqlCatalog": "Catalog",
    "InMemoryCatalog": "Catalog",
    "RestCatalog": "Catalog",
    "GlueCatalog": "Catalog",
    "HiveCatalog": "Catalog",
    "Table": "Table",
    "StaticTable": "Table",
    "DataScan": "Scan",
    "TableScan": "Scan",
    "Scan": "Scan",
    "Transaction": "Transaction",
    "FileScanTask": "FileScanTask",
    "DataFile": "DataFile",
    "View": "View",
}
_RETURNED = {
    ("Catalog", "load_table"): "Table",
    ("Catalog", "create_table"): "Table",
    ("Catalog", "create_table_if_not_exists"): "Table",
    ("Catalog", "register_table"): "Table",
    ("Catalog", "rename_table"): "Table",
    ("Catalog", "create_table_transaction"): "Transaction",
    ("Catalog", "load_view"): "View",
    ("Catalog", "create_view"): "View",
    # Nobody else has these names.
    (None, "load_table"): "Table",
    (None, "create_table_if_not_exists"): "Table",
    (None, "create_table_transaction"): "Transaction",
    (None, "load_view"): "View",
    ("Table", "refresh"): "Table",
    ("Table", "scan"): "Scan",
    ("Table", "transaction"): "Transaction",
    ("Table", "update_sort_order"): "UpdateSortOrder",
    ("Table", "from_metadata"): "Table",
    ("Transaction", "update_sort_order"): "UpdateSortOrder",
    ("Transaction", "set_properties"): "Transaction",
    ("Transaction", "remove_properties"): "Transaction",
    ("Transaction", "commit_transaction"): "Committed",
    ("Maintenance", "expire_snapshots"): "ExpireSnapshots",
    ("UpdateSortOrder", "asc"): "UpdateSortOrder",
    ("UpdateSortOrder", "desc"): "UpdateSortOrder",
    ("Scan", "filter"): "Scan",
    ("Scan", "select"): "Scan",
    ("Scan", "use_ref"): "Scan",
    ("Scan", "with_case_sensitive"): "Scan",
    ("Scan", "plan_files"): "Plan",
}
_ATTRIBUTES = {("Table", "maintenance"): "Maintenance", ("FileScanTask", "file"): "DataFile"}
_ITEMS = {"Plan": "FileScanTask"}
_KEEP = {"list", "iter", "tuple", "sorted", "reversed"}


class Scope:
    """What names stand for, in a function or a module.

    Args:
        outer: The scope around it.
    """

    def __init__(self, outer: Scope | None = None) -> None:
        self._outer = outer
        self._imported: dict[str, str] = {}
        self._kinds: dict[str, str | None] = {}

    def bring_in(self, name: str, origin: str) -> None:
        """Notes an imported name, by its whole name."""
        self._imported[name] = origin
        self._kinds.pop(name, None)

    def assign(self, name: str, kind: str | None) -> None:
        """Notes what a name stands for from here on."""
        self._imported.pop(name, None)
        self._kinds[name] = kind

    def origin(self, name: str) -> str | None:
        """The whole name of what is imported by this name."""
        if name in self._imported or name in self._kinds or self._outer is None:
            return self._imported.get(name)
        return self._outer.origin(name)

    def kind(self, name: str) -> str | None:
        """What a name stands for."""
        if name in self._imported or name in self._kinds or self._outer is None:
            return self._kinds.get(name)
        return self._outer.kind(name)


def dotted(node: ast.expr, scope: Scope) -> str | None:
    """The whole name of something that is imported from PyIceberg or from here, without the package."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    origin = scope.origin(node.id)
    if origin is None:
        return None
    return ".".join([*origin.split("."), *reversed(parts)][1:])


def kind_of(node: ast.expr | None, scope: Scope) -> str | None:
    """The class of an object, if the script says it."""
    if isinstance(node, ast.Name):
        return scope.kind(node.id)
    if isinstance(node, (ast.NamedExpr, ast.Await, ast.Starred)):
        return kind_of(node.value, scope)
    if isinstance(node, ast.Attribute):
        return _ATTRIBUTES.get((kind_of(node.value, scope) or "", node.attr))
    if isinstance(node, ast.Subscript):
        kind = kind_of(node.value, scope)
        return kind if isinstance(node.slice, ast.Slice) else _ITEMS.get(kind or "")
    return _kind_of_call(node, scope) if isinstance(node, ast.Call) else None


def item_kind_of(node: ast.expr, scope: Scope) -> str | None:
    """The class of what a loop over an object gives."""
    return _ITEMS.get(kind_of(node, scope) or "")


def annotated(node: ast.expr | None, scope: Scope) -> str | None:
    """The class that an annotation names."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return _CLASSES.get(node.value) if scope.origin(node.value) else None
    if isinstance(node, ast.BinOp):
        return annotated(node.left, scope) or annotated(node.right, scope)
    if isinstance(node, ast.Subscript):
        return annotated(node.slice, scope) if _last(node.value) == "Optional" else None
    name = dotted(node, scope) if node is not None else None
    return _CLASSES.get(name.rpartition(".")[2]) if name else None


def _kind_of_call(node: ast.Call, scope: Scope) -> str | None:
    name = dotted(node.func, scope)
    if name is not None:
        module, _, last = name.rpartition(".")
        if last in _CATALOGS:
            return "Catalog"
        if last == "from_metadata":
            return "Table"
        return "Table" if last == "open_table" and not module else _CLASSES.get(last)
    if isinstance(node.func, ast.Name):
        return kind_of(node.args[0], scope) if node.func.id in _KEEP and node.args else None
    if not isinstance(node.func, ast.Attribute):
        return None
    receiver = kind_of(node.func.value, scope)
    return _RETURNED.get((receiver, node.func.attr))


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
