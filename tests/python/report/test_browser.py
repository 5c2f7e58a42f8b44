"""A report in a browser: it fits, it is read without eyes and without a mouse, and hostile names are text."""

from __future__ import annotations

import html

import pytest

import floeberg as fb
from report.browser import WIDTHS, look_at, needs_browser
from report.large_tables import table_of_many_files
from report.scripts import BREAKOUT, IMAGE, SCRIPT

pytestmark = needs_browser


@pytest.fixture(scope="module")
def page(orders):
    first = orders.snapshots()[0].snapshot_id
    return orders.report(row_filter="country = 'fr' and id > 250", snapshots=(first, "main")).html


@pytest.fixture(scope="module", params=["light", "dark"])
def seen(request, page, tmp_path_factory):
    return request.param, look_at(page, tmp_path_factory.mktemp("browser"), dark=request.param == "dark")


def test_a_page_fits_windows_of_three_widths(seen):
    for width, found in seen[1].items():
        assert found["width"] <= width, found["outside"]
        assert found["outside"] == []


def test_light_and_dark_are_both_there_and_all_text_can_be_read(seen):
    scheme, found = seen
    for each in found.values():
        assert (sum(each["background"]) < 200) == (scheme == "dark")
        assert each["contrast"] >= 4.5


def test_a_screen_reader_gets_headings_in_order_and_a_name_for_each_picture(seen):
    for found in seen[1].values():
        assert found["language"] == "en"
        assert found["main"] == 1
        assert found["headings"][0] == 1 and found["headings"].count(1) == 1
        assert all(
            after <= before + 1
            for before, after in zip(found["headings"], found["headings"][1:], strict=False)
        )
        assert len(found["pictures"]) == 5
        for role, name, width in found["pictures"]:
            assert role in {"img", "image"}
            assert len(name) > 15
            assert width > 200
        # Every table says what it has, but those of facts and of columns.
        assert found["captions"] >= found["tables"] - 2


def test_the_keyboard_reaches_each_link_and_each_table_that_scrolls(seen):
    for found in seen[1].values():
        assert found["broken"] == 0
        assert len(found["reached"]) > 10
        assert all(is_focused and name for is_focused, name in found["reached"])


def test_narrow_windows_have_pictures_of_their_own(seen):
    widths = {width: [each[2] for each in found["pictures"]] for width, found in seen[1].items()}
    assert max(widths[390]) <= 390 - 2 * 16
    assert max(widths[1366]) > 450


@pytest.mark.parametrize("policy", ["its policy", "no policy"])
def test_names_that_are_scripts_are_text(hostile, tmp_path, policy):
    first = hostile.snapshots()[0].snapshot_id
    report = hostile.report(row_filter=fb.col(IMAGE) == SCRIPT, snapshots=(first, "main"))
    page = report.html
    if policy == "no policy":
        # Names are text without the help of the browser, too.
        before, _, rest = page.partition('<meta http-equiv="Content-Security-Policy"')
        page = before + rest.partition(">\n")[2]
        assert "Content-Security-Policy" not in page
    for found in look_at(page, tmp_path).values():
        assert found["title"] == "s.t - Floeberg report"
        assert {"script", "img", "b", "iframe", "form", "object"}.isdisjoint(found["elements"])
        assert found["handlers"] == 0
        assert all(each.startswith("#") for each in found["addresses"])
        for name in (SCRIPT, IMAGE, BREAKOUT):
            assert name in found["text"]


def test_the_tests_see_a_name_that_is_not_escaped(hostile, tmp_path):
    page = html.unescape(hostile.report(check=None).html)
    before, _, rest = page.partition('<meta http-equiv="Content-Security-Policy"')
    found = look_at(before + rest.partition(">\n")[2], tmp_path)[WIDTHS[0]]
    assert found["title"] == "hacked"
    assert "script" in found["elements"]


@pytest.mark.unchecked_tables("all data files but one are missing: only manifests are read")
def test_a_table_of_a_hundred_thousand_files_has_a_page_that_fits(tmp_path):
    table = fb.open_table(table_of_many_files(tmp_path, 100_000, 20))
    report = table.report(row_filter="day = 12 and id = 5")
    assert len(report.html) < 300_000
    for width, found in look_at(report.html, tmp_path).items():
        assert found["width"] <= width
        assert "100,000 data files in 200 partitions." in found["text"]
        assert "180 other partitions" in found["text"]
        # Of 20 manifests, one has the day: its other 4,500 files are of other days.
        assert "left out with its manifest: 95,000" in found["text"]
        assert "left out by its partition: 4,500" in found["text"]
        assert "left out by counts and bounds: 500" in found["text"]


def test_a_table_of_one_file_and_a_table_without_rows_have_pages_that_fit(tmp_path):
    import pyarrow as pa

    catalog = fb.load_catalog("few", type="filesystem", warehouse=str(tmp_path / "few"))
    catalog.create_namespace("s")
    empty = catalog.create_table("s.empty", pa.schema({"id": pa.int64()}))
    found = look_at(empty.report(row_filter="id = 1").html, tmp_path)
    assert all(
        each["width"] <= width and "The table has no snapshot yet." in each["text"]
        for width, each in found.items()
    )
    empty.append(pa.table({"id": [1]}))
    found = look_at(empty.report(row_filter="id = 1").html, tmp_path)
    assert all(each["width"] <= width and "read: 1" in each["text"] for width, each in found.items())
