"""Where does a script use what PyIceberg alone has, or what means something else here?

In: the tree of a script. Out: the places. Functions are looked at after the module around them, with its names.
"""

from __future__ import annotations

import ast
import re
from collections import deque

from floeberg._pyiceberg_names import ARGUMENTS, MEANING, PROPERTIES, UNMISTAKABLE, spelled
from floeberg.migrate._change import Change
from floeberg.migrate._imports import Import, imported, is_of_iceberg, ours
from floeberg.migrate._kinds import Scope, annotated, dotted, item_kind_of, kind_of

__all__ = ["Finder"]

_FILTERED = {"scan", "filter", "delete", "overwrite"}
_FILTER_ARGUMENTS = {"row_filter", "delete_filter", "overwrite_filter", "expr"}
_TEXTS = {
    "NOT IN": re.compile(r"\bNOT\s+IN\b", re.IGNORECASE),
    "IS NOT NAN": re.compile(r"\bIS\s+NOT\s+NAN\b", re.IGNORECASE),
}
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Finder(ast.NodeVisitor):
    """Looks through a script once."""

    def __init__(self) -> None:
        self._found: set[Change] = set()
        self._scope = Scope()
        self._later: deque[tuple[_Function, Scope]] = deque()
        self._uses = False

    def changes_of(self, tree: ast.Module) -> list[Change]:
        """The places of a script, in their order."""
        self.visit(tree)
        while self._later:
            function, outer = self._later.popleft()
            self._scope = Scope(outer)
            for each in _arguments(function):
                self._scope.assign(each.arg, annotated(each.annotation, outer))
            body = [function.body] if isinstance(function, ast.Lambda) else function.body
            for statement in body:
                self.visit(statement)
        # A script that has nothing of PyIceberg has names of its own.
        return sorted(self._found) if self._uses else []

    def visit_Import(self, node: ast.Import) -> None:
        """`import pyiceberg.catalog`."""
        for each in node.names:
            found = imported(each.name, None)
            if found is None:
                continue
            self._uses = True
            self._note_import(node, found, f"import {each.name}", each.asname)
            root, _, _ = each.name.partition(".")
            self._scope.bring_in(each.asname or root, each.name if each.asname else root)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """`from pyiceberg.catalog import load_catalog`."""
        same: list[str] = []
        for each in node.names if node.module and not node.level else ():
            found = imported(str(node.module), each.name)
            if found is None:
                continue
            if each.name != "*":
                self._scope.bring_in(each.asname or each.name, f"{node.module}.{each.name}")
            if found.instead == f"from {ours(str(node.module))} import {each.name}":
                same.append(f"{each.name} as {each.asname}" if each.asname else each.name)
            else:
                self._note_import(node, found, f"from {node.module} import {each.name}", each.asname)
        if same:
            names = ", ".join(same)
            line = Import(f"from {ours(str(node.module))} import {names}")
            self._note_import(node, line, f"from {node.module} import {names}", None)
        self._uses = self._uses or is_of_iceberg(node.module or "")

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """A function: its decorators and defaults belong to what is around it."""
        for each in (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(each)
        self._scope.assign(node.name, None)
        self._later.append((node, self._scope))

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 - ast names it

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """A function without a name."""
        self._later.append((node, self._scope))

    def visit_Assign(self, node: ast.Assign) -> None:
        """A name gets the class of its value."""
        self.visit(node.value)
        for each in node.targets:
            self._assign(each, node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """The same, or what the annotation says."""
        if node.value is not None:
            self.visit(node.value)
        if isinstance(node.target, ast.Name):
            kind = annotated(node.annotation, self._scope) or kind_of(node.value, self._scope)
            self._scope.assign(node.target.id, kind)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        """`(table := ...)`."""
        self.visit(node.value)
        self._scope.assign(node.target.id, kind_of(node.value, self._scope))

    def visit_With(self, node: ast.With | ast.AsyncWith) -> None:
        """`with table.transaction() as transaction`."""
        for each in node.items:
            self.visit(each.context_expr)
            if isinstance(each.optional_vars, ast.Name):
                self._scope.assign(each.optional_vars.id, kind_of(each.context_expr, self._scope))
        for statement in node.body:
            self.visit(statement)

    visit_AsyncWith = visit_With  # noqa: N815 - ast names it

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        """`for task in scan.plan_files()`."""
        self.visit(node.iter)
        if isinstance(node.target, ast.Name):
            self._scope.assign(node.target.id, item_kind_of(node.iter, self._scope))
        for statement in (*node.body, *node.orelse):
            self.visit(statement)

    visit_AsyncFor = visit_For  # noqa: N815 - ast names it

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> None:
        """`[task.file for task in scan.plan_files()]`."""
        self._comprehension(node.generators, [node.elt])

    visit_SetComp = visit_GeneratorExp = visit_ListComp  # noqa: N815 - ast names it

    def visit_DictComp(self, node: ast.DictComp) -> None:
        """The same for a dict."""
        self._comprehension(node.generators, [node.key, node.value])

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """A name of an object."""
        self.visit(node.value)
        if (name := dotted(node, self._scope)) is not None:
            self._note_meaning(node, name)
            return
        kind = kind_of(node.value, self._scope)
        said = spelled(kind, node.attr) if kind else UNMISTAKABLE.get(node.attr)
        if said is not None:
            self._note(node, f"{kind or ''}.{node.attr}", said)
        elif f"{kind}.{node.attr}" in MEANING:
            self._note(node, f"{kind}.{node.attr}", MEANING[f"{kind}.{node.attr}"], must=False)
        elif node.attr == "value" and isinstance(node.value, ast.Attribute) and node.value.attr == "literal":
            self._note(node, ".literal.value", "predicate.literal: a literal is a plain Python value")

    def visit_Name(self, node: ast.Name) -> None:
        """A class that is called or used by its own name."""
        if isinstance(node.ctx, ast.Load) and (name := dotted(node, self._scope)) is not None:
            self._note_meaning(node, name)

    def visit_Call(self, node: ast.Call) -> None:
        """Arguments with other names, filters, and calls that mean something else."""
        self.generic_visit(node)
        if not isinstance(node.func, ast.Attribute):
            return
        kind, name = kind_of(node.func.value, self._scope), node.func.attr
        if kind in {"Table", "Transaction"}:
            self._look_at_change(node, kind, name)
        if name in _FILTERED and kind in {"Table", "Scan", "Transaction"}:
            texts = [*node.args, *(each.value for each in node.keywords if each.arg in _FILTER_ARGUMENTS)]
            for text in texts:
                written = text.value if isinstance(text, ast.Constant) else None
                for words, pattern in _TEXTS.items():
                    if isinstance(written, str) and pattern.search(written):
                        self._note(text, f"a filter with {words}", MEANING[words], must=False)

    def visit_Constant(self, node: ast.Constant) -> None:
        """The name of a property."""
        if isinstance(node.value, str) and node.value in PROPERTIES:
            must, said = PROPERTIES[node.value]
            self._note(node, f'"{node.value}"', said, must=must)

    def _look_at_change(self, node: ast.Call, kind: str, name: str) -> None:
        for each in node.keywords:
            if each.arg and (said := ARGUMENTS.get(name, {}).get(each.arg)):
                self._note(each.value, f"{kind}.{name}({each.arg}=...)", said)
            if (
                kind == "Transaction"
                and each.arg in {"snapshot_properties", "branch"}
                and name in _OF_TRANSACTIONS
            ):
                said = (
                    f"table.transaction({each.arg}=...): it is the same for all operations of a transaction"
                )
                self._note(each.value, f"{kind}.{name}({each.arg}=...)", said)
        if name == "delete" and not node.args and not node.keywords:
            self._note(node.func, f"{kind}.delete()", "delete(delete_all=True)")
        if name == "to_polars" and kind == "Table":
            said = "it is a frame here: table.to_polars_lazy() is lazy"
            self._note(node.func, "Table.to_polars", said, must=False)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if not isinstance(target, ast.Name):
            self.visit(target)
            for each in ast.walk(target):
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                    self._scope.assign(each.id, None)
            return
        kind = kind_of(value, self._scope)
        if kind == "Committed":
            said = "leave the assignment out: the table object has the commit, and the call returns a CommitResult"
            self._note(target, f"{target.id} = ....commit_transaction()", said)
            kind = "CommitResult" if self._scope.kind(target.id) != "Table" else "Table"
        self._scope.assign(target.id, kind)

    def _comprehension(self, generators: list[ast.comprehension], values: list[ast.expr]) -> None:
        outer, self._scope = self._scope, Scope(self._scope)
        for each in generators:
            self.visit(each.iter)
            if isinstance(each.target, ast.Name):
                self._scope.assign(each.target.id, item_kind_of(each.iter, self._scope))
            for condition in each.ifs:
                self.visit(condition)
        for value in values:
            self.visit(value)
        self._scope = outer

    def _note_import(self, node: ast.stmt, found: Import, what: str, name: str | None) -> None:
        if found.instead is not None:
            kept = f" as {name}" if name and found.is_import else ""
            self._note(node, what, f"{found.instead}{kept}")

    def _note_meaning(self, node: ast.expr, name: str) -> None:
        last = name.rpartition(".")[2]
        if name.startswith("expressions") and last in MEANING:
            self._note(node, last, MEANING[last], must=False)

    def _note(self, node: ast.stmt | ast.expr, what: str, instead: str, *, must: bool = True) -> None:
        # Where the name itself stands, also in a chain over several lines.
        line, column = node.lineno, node.col_offset
        if (
            isinstance(node, ast.Attribute)
            and node.end_lineno is not None
            and node.end_col_offset is not None
        ):
            line, column = node.end_lineno, max(0, node.end_col_offset - len(node.attr))
        self._found.add(Change(line, column + 1, must, what, instead))


_OF_TRANSACTIONS = {"append", "overwrite", "delete", "dynamic_partition_overwrite", "upsert"}


def _arguments(function: _Function) -> list[ast.arg]:
    given = function.args
    found = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return [*found, *(each for each in (given.vararg, given.kwarg) if each)]
