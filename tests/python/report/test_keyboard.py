"""A report is used by keys alone, and a screen reader gets all of it by names."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest

from corpus import lance_lent
from report.browser import needs_browser
from report.keyboard import at_keyboard

pytestmark = needs_browser

_INTERACTIVE = """[...document.querySelectorAll('*')].map((each, place) => [each, place])
  .filter(([each]) => each.matches("a[href], summary, button, input, select, textarea, [tabindex='0']")
    && each.checkVisibility({contentVisibilityAuto: true}))
  .map(([, place]) => place)"""
_OPEN = "[...document.querySelectorAll('details')].map(each => each.open)"
_MOST = 300


@pytest.fixture(scope="module", params=["iceberg", "lance"])
def page(request, tmp_path_factory, orders):
    """A person at a report."""
    folder = tmp_path_factory.mktemp("keys")
    if request.param == "iceberg":
        made = orders.report(
            row_filter="country = 'fr' AND id > 250", snapshots=(orders.snapshots()[0].snapshot_id, "main")
        )
    else:
        made = lance_lent("lance").open().report(row_filter="id > 3", snapshots=(1, None))
    file = made.save(folder / "report.html")
    with at_keyboard(folder) as person:
        person.address = file.as_uri()
        person.has_folded = request.param == "iceberg"
        yield person


def walked(person, *, shift=False):
    """What Tab leads to, one after the other, until it leaves the page."""
    found = []
    for _ in range(_MOST):
        person.press("Tab", shift=shift)
        at = person.focused()
        if at["tag"] == "body" or (found and at["place"] == found[0]["place"]):
            return found
        found.append(at)
    raise AssertionError("Tab does not end")


def test_tab_leads_to_every_interactive_part_in_order(page):
    page.open(page.address)
    wanted = page.look(_INTERACTIVE)
    found = walked(page)
    assert [each["place"] for each in found] == wanted == sorted(wanted)
    assert len(found) > 7
    assert all(each["ring"] for each in found), [each for each in found if not each["ring"]]
    tags = {each["tag"] for each in found}
    assert tags == {"a", "div", "summary"} if page.has_folded else {"a", "div"}
    page.open(page.address)
    assert [each["place"] for each in walked(page, shift=True)] == wanted[::-1]


def test_what_has_the_focus_is_seen(page):
    page.open(page.address)
    for _ in range(8):
        page.press("Tab")
        left, top, width, height = page.focused()["box"]
        assert width > 0 and height > 0
        assert left >= 0 and top + height > 0 and top < page.look("innerHeight")


def test_the_first_link_leads_to_the_content(page):
    page.open(page.address)
    page.press("Tab")
    assert page.focused()["text"] == "Skip to the report"
    page.press("Enter")
    assert page.look("location.hash") == "#content"
    assert page.look("document.activeElement.id") == "content"
    page.press("Tab")
    assert page.look("document.activeElement.closest('main') !== null")


def test_links_of_parts_lead_to_them(page):
    page.open(page.address)
    links = [
        each for each in walked(page) if (each["href"] or "").startswith("#") and each["href"] != "#content"
    ]
    assert len(links) > 3
    page.open(page.address)
    # The first, one in between, and the last.
    for number in (2, 2 + len(links) // 2, len(links) + 1):
        page.open(page.address.partition("#")[0])
        for _ in range(number):
            page.press("Tab")
        page.press("Enter")
        wanted = links[number - 2]["href"]
        assert page.look("location.hash") == wanted
        top = page.look(f"document.querySelector('{wanted}').getBoundingClientRect().top")
        at_end = page.look("scrollY + innerHeight >= document.documentElement.scrollHeight - 2")
        assert at_end or -2 <= top < 200


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_what_is_folded_opens_and_closes_by_keys(page, key):
    page.open(page.address)
    parts = page.look(_OPEN)
    if not page.has_folded:
        assert parts == []
        return
    assert parts and not all(parts)
    number = 0
    for _ in range(_MOST):
        page.press("Tab")
        at = page.focused()
        if at["tag"] == "body":
            break
        if at["tag"] != "summary":
            continue
        before = page.look("document.activeElement.parentElement.open")
        page.press(key)
        assert page.look("document.activeElement.parentElement.open") is not before
        if before:
            page.press(key)
        number += 1
    assert number >= len(parts)
    assert all(page.look(_OPEN))
    # What was folded is reached now.
    page.look("document.activeElement.blur(); scrollTo(0, 0)")
    inside = page.look("document.querySelectorAll('details .scroll').length")
    assert inside == 0 or page.look(_INTERACTIVE) != parts


def test_wide_tables_scroll_by_keys(tmp_path, orders):
    file = orders.report(row_filter="id > 250").save(tmp_path / "report.html")
    with at_keyboard(tmp_path, width=500) as person:
        person.ask(
            "Emulation.setDeviceMetricsOverride", width=360, height=800, deviceScaleFactor=1, mobile=False
        )
        person.open(file.as_uri())
        person.look("document.querySelectorAll('details').forEach(each => { each.open = true; })")
        scrolled = 0
        for _ in range(_MOST):
            person.press("Tab")
            if person.focused()["tag"] == "body":
                break
            at = "document.activeElement"
            if person.look(f"{at}.className === 'scroll' && {at}.scrollWidth > {at}.clientWidth + 4"):
                person.press("ArrowRight")
                ends = time.monotonic() + 5
                while not person.look(f"{at}.scrollLeft") and time.monotonic() < ends:
                    time.sleep(0.02)
                assert person.look(f"{at}.scrollLeft") > 0
                scrolled += 1
        assert scrolled > 0


def test_a_screen_reader_gets_names(page):
    page.open(page.address)
    page.look("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    heard = page.heard()
    roles = [each["role"] for each in heard]
    for landmark in ("banner", "navigation", "main", "contentinfo"):
        assert roles.count(landmark) == 1, landmark
    assert heard[0]["role"] == "RootWebArea" and "Floeberg report" in heard[0]["name"]
    focusable = [each for each in heard if each.get("focusable") and each["role"] != "RootWebArea"]
    assert len(focusable) > 7
    unnamed = [each for each in focusable if not each["name"].strip() and each["role"] != "main"]
    assert not unnamed
    headings = [each for each in heard if each["role"] == "heading"]
    assert [each["level"] for each in headings].count(1) == 1
    levels = [each["level"] for each in headings]
    assert all(after - before <= 1 for before, after in pairwise(levels)), levels
    for role in ("image", "table", "region"):
        named = [each for each in heard if each["role"] == role]
        assert all(each["name"].strip() for each in named), role
    assert any(each["role"] == "table" for each in heard)
    folded = [each for each in heard if each["role"] == "DisclosureTriangle"]
    assert bool(folded) is page.has_folded
    assert all(each.get("expanded") is True for each in folded)


def test_a_screen_reader_hears_what_is_folded(page):
    page.open(page.address)
    folded = [each for each in page.heard() if each["role"] == "DisclosureTriangle"]
    assert bool(folded) is page.has_folded
    assert all(each["name"] for each in folded)
    assert any(each.get("expanded") is False for each in folded) is page.has_folded
