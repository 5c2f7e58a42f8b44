"""The verb `report` writes one page, for both formats and for tables of catalogs, and replaces nothing else."""

from __future__ import annotations

import pytest

from floeberg.cli.exits import ExitCode


def test_a_page_is_written_beside_where_it_is_asked_for(run, table_name, own_home):
    # The last part of a name or a location names the file.
    name = f"{table_name.replace(chr(92), '/').rstrip('/').rpartition('/')[2]}.html"
    said = run("report", table_name, "--json").json
    file = own_home / said["report"]
    assert said == {"report": name, "table": said["table"], "bytes": file.stat().st_size}
    page = file.read_text(encoding="utf-8")
    assert f"<h1>{said['table']}</h1>" in page
    assert 'id="findings"' in page and 'id="filter"' not in page
    # An older report is replaced.
    run("report", table_name, "--no-check")
    assert 'id="findings"' not in file.read_text(encoding="utf-8")


def test_options_become_parts(run, table_name, own_home):
    before = 1 if table_name.endswith(".lance") else None
    if before is None:
        before = run("snapshots", table_name, "--json").json[0]["snapshot_id"]
    to = own_home / "page.html"
    run("report", table_name, "--to", to, "--where", "id > 1", "--before", before, "--level", "metadata")
    page = to.read_text(encoding="utf-8")
    assert 'id="filter"' in page and 'id="difference"' in page
    assert "1 inserted, 0 deleted, 0 updated" in page
    assert "at the level metadata" in page


def test_what_is_no_report_stays(run, table_name, own_home):
    mine = own_home / "notes.html"
    mine.write_text("<h1>mine</h1>", encoding="utf-8")
    ran = run("report", table_name, "--to", mine, code=ExitCode.ALREADY_EXISTS)
    assert "exists and is not a report: give another file (--to)" in ran.err and "--force" in ran.err
    assert mine.read_text(encoding="utf-8") == "<h1>mine</h1>"
    run("report", table_name, "--to", mine, "--force", "--no-check")
    assert mine.read_text(encoding="utf-8").startswith("<!doctype html>")
    ran = run("report", table_name, "--to", own_home, code=ExitCode.INVALID_INPUT)
    assert "expected a file, found the folder" in ran.err


@pytest.mark.parametrize(
    "mistake",
    [
        (("--where", "nothing = 1"), ExitCode.INVALID_INPUT, "nothing"),
        (("--after", "main"), ExitCode.INVALID_INPUT, "expected --before STATE beside it"),
        (("--before", "999"), ExitCode.NOT_FOUND, "999"),
        (("--output", "csv"), ExitCode.INVALID_INPUT, "expected text or json"),
        (("--to", "no/such/folder.html"), ExitCode.NOT_FOUND, "folder"),
    ],
)
def test_a_mistake_is_an_error_and_leaves_no_file(run, table_name, own_home, mistake):
    options, code, said = mistake
    ran = run("report", table_name, *options, code=code)
    assert said in ran.err
    assert list(own_home.glob("*.html")) == []
