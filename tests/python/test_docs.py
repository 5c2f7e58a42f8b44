"""The documentation says what is: its code runs and prints what stands below it, its links lead somewhere."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from urllib.parse import unquote

import pytest
from cargo_workspace import ROOT

from guide_pages import NEED_SPARK
from markdown_blocks import CODE, blocks_of, prose_of, run_page


def pages() -> list[Path]:
    """Every Markdown file of the project, from its root."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "*.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return sorted(Path(line) for line in listed.stdout.splitlines() if (ROOT / line).is_file())


def runs(page: Path) -> bool:
    """Has the page code that is run?"""
    return any(block.kind == CODE for block in blocks_of((ROOT / page).read_text(encoding="utf-8")))


FOLDERS = {Path("docs/guide"), Path("docs/cookbook")}
WITH_CODE = [page for page in pages() if page not in NEED_SPARK and page.parent in FOLDERS and runs(page)]


def anchors(text: str) -> set[str]:
    """The fragments that the headings of a Markdown text answer to."""
    headings = re.findall(r"^#+ (.*)$", prose_of(text), flags=re.MULTILINE)
    kept = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in kept}


def test_the_guide_is_looked_at():
    assert len(WITH_CODE) >= 15


def test_the_cookbook_has_a_recipe_for_each_line_of_its_index():
    text = (ROOT / "docs/cookbook/index.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| .* \| \[.*\]\(([\w-]+\.md)", text, flags=re.MULTILINE)
    assert len(listed) >= 25
    recipes = {page for page in pages() if page.parent == Path("docs/cookbook") and page.name != "index.md"}
    assert {Path("docs/cookbook") / page for page in listed} == recipes
    assert recipes <= {*WITH_CODE, *NEED_SPARK}


@pytest.mark.parametrize("page", WITH_CODE, ids=str)
def test_the_code_of_a_page_runs_and_prints_what_stands_below_it(page, tmp_path, monkeypatch):
    # Whoever installed a wheel has no checkout.
    monkeypatch.chdir(tmp_path)
    run_page(ROOT / page, {})


@pytest.mark.parametrize("page", ["README.md", "docs/guide/tour.md"])
def test_what_a_stranger_reads_first_runs_anywhere(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(ROOT / page, {})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("page", pages(), ids=str)
def test_every_relative_link_of_a_page_leads_somewhere(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", prose_of(text))):
        if re.match(r"[a-z]+:", link):
            continue
        place, _, fragment = link.partition("#")
        target = ROOT / page.parent / unquote(place) if place else ROOT / page
        assert target.exists(), f"{page} links to {link}"
        if fragment:
            assert fragment in anchors(target.read_text(encoding="utf-8")), f"{page} links to {link}"


def test_the_architecture_is_read_in_one_sitting():
    # What a room holds stands in its own file.
    lines = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 120
    assert max(map(len, lines)) <= 200


@pytest.mark.parametrize(
    "page", [page for page in pages() if page.name in {"ARCHITECTURE.md", "README.md"}], ids=str
)
def test_paths_that_a_page_mentions_exist(page):
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    known = {"/" + "/".join(parts) for path in listed.stdout.split() for parts in ends_and_folders(path)}
    prose = prose_of((ROOT / page).read_text(encoding="utf-8"))
    named = re.findall(r"`((?:[\w.-]+/)*[\w.-]+(?:/|\.(?:rs|py|pyi|toml|md|yml|txt)))`", prose)
    assert [name for name in named if "/" + name.strip("/") not in known] == []


def ends_and_folders(path: str) -> list[list[str]]:
    """The file and the folders that it is in, each also by its last names alone."""
    parts = path.split("/")
    return [parts[first:last] for last in range(1, len(parts) + 1) for first in range(last)]


def test_every_dependency_has_its_line_among_the_decisions():
    (note,) = (ROOT / "docs" / "decisions").glob("*-dependencies.md")
    text = note.read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `([\w-]+)` \|", text, flags=re.MULTILINE))
    wanted = {name for name in workspace()["workspace"]["dependencies"] if not name.startswith("floeberg-")}
    assert named >= wanted, f"not named: {sorted(wanted - named)}"


def workspace() -> dict[str, dict]:
    """The content of the workspace's Cargo.toml."""
    from check_known_failures import tomllib

    return tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
