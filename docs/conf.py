"""How are the pages of this folder made into a site?

In: the Markdown of this folder, and the docstrings of the package. Out: HTML, by `make site`.

The package is imported from its sources and its compiled module is stood in for, so that the site needs no build.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.domains.python import PyXRefRole
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.docutils import SphinxRole

if TYPE_CHECKING:
    from sphinx.application import Sphinx

DOCS = Path(__file__).parent
ROOT = DOCS.parent
REPOSITORY = "https://github.com/floeberg/floeberg"

sys.path.insert(0, str(ROOT / "python"))

project = "Floeberg"
author = "The Floeberg developers"
html_title = "Floeberg"
html_theme = "furo"
pygments_dark_style = "github-dark"
html_copy_source = False
html_logo = html_favicon = "_static/logo.svg"
html_static_path = ["_static"]
html_css_files = ["floeberg.css"]
html_search_scorer = str(DOCS / "search_scorer.js")
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#17587f", "color-brand-content": "#17689a"},
    "dark_css_variables": {"color-brand-primary": "#7cc4e8", "color-brand-content": "#7cc4e8"},
    # They would lead to files of a repository.
    "top_of_page_buttons": [],
}

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
]
# Code and commands are copied, without the prompt. Outputs are not.
copybutton_selector = "div.highlight-python pre, div.highlight-console pre, div.highlight-toml pre"
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True
copybutton_line_continuation_character = "\\"
exclude_patterns = ["_build"]
# Headings answer to the fragments that GitHub gives them.
myst_heading_anchors = 4

autodoc_mock_imports = ["floeberg._native", "httpx", "pyarrow", "rich", "sqlalchemy", "typer"]
# What classes have from those of Python is in the documentation of Python.
autodoc_default_options = {"members": True, "inherited-members": "object, BaseException, OSError"}
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
napoleon_numpy_docstring = False
# What stands between single backticks in a docstring.
default_role = "code-or-name"

NAME = re.compile(r"[A-Za-z_][\w.]*")
LINK = re.compile(r"\]\((?![a-z]+:)([^)#\s]+)(#[^)\s]*)?\)")
PAGE_OF_THE_ROOT = re.compile(r"```\{include\} \.\./(\w+\.md)\n```\n")
COLON = "\ufdd0"
"""Stands for a colon, in a docstring that Sphinx would take for `type: text`."""


class CodeOrName(SphinxRole):
    """Code, and a link where it is a public name."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """What the text becomes."""
        if NAME.fullmatch(self.text):
            return PyXRefRole()("py:obj", self.rawtext, self.text, self.lineno, self.inliner)
        return [nodes.literal(self.rawtext, self.text)], []


def make_links_fit(app: Sphinx, docname: str, source: list[str]) -> None:
    """Takes in a page of the root, and leads links to files that are no pages of the site to the repository."""
    folder = here = Path(app.env.doc2path(docname)).parent
    included = PAGE_OF_THE_ROOT.fullmatch(source[0])
    if included:
        folder = ROOT
        app.env.note_dependency(str(ROOT / included[1]))
        source[0] = (ROOT / included[1]).read_text(encoding="utf-8")

    def fitting(link: re.Match[str]) -> str:
        target, fragment = (folder / link[1]).resolve(), link[2] or ""
        if not target.exists():
            return link[0]
        if target.is_relative_to(DOCS) and target.suffix == ".md":
            return f"]({os.path.relpath(target, here)}{fragment})"
        return f"]({REPOSITORY}/blob/main/{target.relative_to(ROOT)}{fragment})"

    source[0] = LINK.sub(fitting, source[0])


def hide_colon(
    _app: Sphinx, what: str, _name: str, _object: object, _options: object, lines: list[str]
) -> None:
    """Hides the colons of a property's first line from napoleon, which takes what is before one for a type."""
    if what in {"attribute", "data", "property"} and lines:
        lines[0] = lines[0].replace(":", COLON)


def show_colon(
    _app: Sphinx, _what: str, _name: str, _object: object, _options: object, lines: list[str]
) -> None:
    """Undoes `hide_colon`."""
    lines[:] = [line.replace(COLON, ":") for line in lines]


def hide_arguments(
    _app: Sphinx, what: str, _name: str, documented: type, *_rest: object
) -> tuple[str, None] | None:
    """Hides the arguments of classes that users do not make themselves."""
    made_by_others = (documented.__init__.__doc__ or "").startswith("Made by") if what == "class" else False
    return ("", None) if made_by_others else None


def hide_overloads() -> None:
    """Shows the one signature of what has overloads: all of them would stand before its first sentence."""
    analyze = ModuleAnalyzer.analyze

    def without_overloads(analyzer: ModuleAnalyzer) -> None:
        analyze(analyzer)
        analyzer.overloads = {}

    ModuleAnalyzer.analyze = without_overloads


def setup(app: Sphinx) -> None:
    """Called by Sphinx. Napoleon has the priority 500."""
    hide_overloads()
    app.add_role("code-or-name", CodeOrName())
    app.connect("source-read", make_links_fit)
    app.connect("autodoc-process-docstring", hide_colon, priority=400)
    app.connect("autodoc-process-docstring", show_colon, priority=600)
    app.connect("autodoc-process-signature", hide_arguments)
