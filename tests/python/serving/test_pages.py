"""A browser sees what the catalog has, and reports, with the token as a password, and nothing of another place."""

from __future__ import annotations

import base64
import json
import re
from html.parser import HTMLParser
from urllib.parse import quote

import httpx
import pyarrow as pa
import pytest

from floeberg.catalog import FileSystemCatalog
from floeberg.errors import NotInstalledError
from floeberg.serving import pages
from floeberg.table import Table
from report.browser import needs_browser, run_browser
from report.keyboard import at_keyboard
from report.scripts import BREAKOUT, IMAGE, SCRIPT
from serving.conftest import ROWS, TOKEN, asking, listening

REPORT = "/report/ns/t"


def password(token):
    return {"Authorization": "Basic " + base64.b64encode(f"any:{token}".encode()).decode()}


def page(answer, status=200):
    """The page of an answer, whose headers let it do nothing."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = answer.headers["content-security-policy"]
    for each in ("default-src 'none'", "form-action 'none'", "frame-ancestors 'none'", "base-uri 'none'"):
        assert each in policy
    assert "script" not in policy
    wanted = {
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
        "cross-origin-resource-policy": "same-origin",
    }
    assert {name: answer.headers[name] for name in wanted} == wanted
    assert answer.text.startswith("<!doctype html>")
    assert TOKEN not in answer.text
    return answer.text


class Elements(HTMLParser):
    """The names of elements, and the addresses of links."""

    def __init__(self, text):
        super().__init__()
        self.names, self.links, self.handlers = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        self.links += [value for name, value in attrs if name in ("href", "src")]
        self.handlers += [name for name, _ in attrs if name.startswith("on")]


def test_the_start_page_leads_to_reports(http, catalog):
    catalog.create_namespace(("deep", "deeper"))
    catalog.create_table(("deep", "deeper", "a b"), ROWS)
    text = page(http.get("/"))
    assert "served" in text
    assert "3 namespaces and 2 tables." in text
    links = Elements(text).links
    assert links == [
        "/?namespace=deep",
        "/?namespace=deep%1Fdeeper",
        "/report/deep%1Fdeeper/a%20b",
        "/?namespace=ns",
        "/report/ns/t",
    ]
    for link in links:
        page(http.get(link))
    inner = page(http.get("/?namespace=deep"))
    assert "/report/deep%1Fdeeper/a%20b" in inner and "/report/ns/t" not in inner


def test_a_report_is_that_of_the_table(http, catalog):
    catalog.load_table("ns.t").append(pa.table({"id": [4]}))
    text = page(http.get(REPORT))
    made = catalog.load_table("ns.t").report().html
    without_time = re.compile(r"<footer>.*?</footer>|at 20\d\d[-0-9: .]*")
    assert without_time.sub("", text) == without_time.sub("", made)
    assert "id &gt; 3" in page(http.get(REPORT, params={"where": "id > 3"}))
    assert http.head(REPORT).status_code == 200


@pytest.mark.parametrize("path", ["/", "/report/nothing/here"])
def test_pages_need_the_token_as_the_password(http, path):
    address = str(http.base_url).rstrip("/") + path
    for headers in (
        {},
        password("wrong"),
        password(""),
        password(TOKEN[:-1]),
        {"Authorization": "Basic"},
        {"Authorization": "Basic %%%"},
        {"Authorization": "Basic " + base64.b64encode(b"\xff\xfe:x").decode()},
        {"Authorization": "Basic " + base64.b64encode(TOKEN.encode()).decode()},
        {"Authorization": f"Bearer {TOKEN}x"},
    ):
        answer = httpx.get(address, headers=headers)
        text = page(answer, 401)
        assert answer.headers["www-authenticate"] == 'Basic realm="floeberg", charset="UTF-8"'
        assert (
            "as the password" in text
            and "ns" not in re.sub("<style>.*?</style>", "", text, flags=re.DOTALL).split()
        )
    assert httpx.get(address, headers=password(TOKEN)).status_code in (200, 404)


def test_a_token_in_the_address_is_refused(http):
    for path in ("/", REPORT):
        assert "histories and logs" in page(http.get(path, params={"token": TOKEN}), 400)


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_the_password_opens_pages_alone(http, catalog, method):
    """A browser sends it by itself: it must not change anything."""
    address = str(http.base_url).rstrip("/")
    for path in ("/v1/namespaces", "/v1/namespaces/ns/tables/t", "/v1/config"):
        assert httpx.request(method, address + path, headers=password(TOKEN)).status_code == 401
    assert catalog.table_exists("ns.t")
    if method != "GET":
        assert httpx.request(method, address + REPORT, headers=password(TOKEN)).status_code == 405


def test_pages_of_other_places_use_nothing(http):
    foreign = {"Sec-Fetch-Site": "cross-site"}
    page(http.get(REPORT, headers={**foreign, "Sec-Fetch-Mode": "no-cors"}), 403)
    page(http.get("/", headers={**foreign, "Sec-Fetch-Mode": "navigate"}))
    page(http.get("/", headers={"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate"}))


def test_without_a_token_only_names_of_this_machine_show_pages(catalog):
    with asking(catalog, token=None, hosts=("127.0.0.1", "localhost")) as client:
        del client.headers["Authorization"]
        page(client.get("/"))
        page(client.get(REPORT))
        page(client.get("/", headers={"Host": "evil.example"}), 403)
        page(client.get("/", headers={"Host": "evil.example", **password("x")}), 403)
        page(client.get(REPORT, headers={"Origin": "http://evil.example"}), 403)


def test_names_are_text(catalog, http):
    # The levels of a namespace have no dots in this catalog.
    levels = (SCRIPT.replace(".", "-"), IMAGE.replace(".", "-"))
    catalog.create_namespace(levels)
    for number, name in enumerate((SCRIPT, IMAGE, BREAKOUT)):
        # No folder has such a name.
        place = f"{catalog.properties['warehouse']}/{number}"
        catalog.create_table((*levels, name), pa.table({SCRIPT: [IMAGE]}), location=place)
    found = Elements(page(http.get("/")))
    assert not found.names & {"script", "img", "iframe"} and not found.handlers
    links = [each for each in found.links if each.startswith("/report/%3C")]
    assert len(links) == 3
    for link in links:
        seen = Elements(page(http.get(link)))
        assert not seen.names & {"script", "img", "iframe"} and not seen.handlers
    for path in (
        f"/report/{quote(SCRIPT, safe='')}/{quote(BREAKOUT, safe='')}",
        f"/?namespace={quote(IMAGE)}",
    ):
        missing = Elements(page(http.get(path), 404))
        assert not missing.names & {"script", "img"} and not missing.handlers
    wrong = Elements(page(http.get(REPORT, params={"where": f"{IMAGE} = 1"}), 400))
    assert not wrong.names & {"script", "img"} and not wrong.handlers


@pytest.mark.parametrize(
    "path", ["/report", "/report/", "/report/ns", "/report/ns/", "/report/ns/t/more", "/other"]
)
def test_pages_that_are_not_there(http, path):
    assert http.get(path).status_code == 404


def test_errors_are_pages(http, monkeypatch):
    assert "nothing" in page(http.get("/report/ns/nothing"), 404)
    assert "none" in page(http.get(REPORT, params={"where": "none = 1"}), 400)

    def fails(*_, **__):
        raise NotInstalledError("vl-convert-python is not installed: pip install 'floeberg[report]'")

    monkeypatch.setattr(Table, "report", fails)
    assert "floeberg[report]" in page(http.get(REPORT), 501)

    def breaks(*_, **__):
        raise RuntimeError("a secret")

    monkeypatch.setattr(Table, "report", breaks)
    assert "a secret" not in page(http.get(REPORT), 500)
    monkeypatch.setattr(pages, "_PATIENCE", 0.01)
    with pages._AT_ONCE, pages._AT_ONCE:
        assert "load the page again" in page(http.get(REPORT), 503)


def test_a_large_catalog_is_shown_in_part(catalog, http, monkeypatch):
    monkeypatch.setattr(pages, "_MOST_TABLES", 3)
    monkeypatch.setattr(pages, "_MOST_NAMESPACES", 4)
    for number in range(6):
        catalog.create_namespace(f"empty{number}")
    text = page(http.get("/"))
    assert "There is more: the first 4 namespaces" in text
    catalog.create_namespace("a")
    for number in range(5):
        catalog.create_table(f"a.t{number}", ROWS)
    text = page(http.get("/?namespace=a"))
    assert "There is more" in text
    assert len([each for each in Elements(text).links if each.startswith("/report/")]) == 3


def test_a_catalog_without_anything_says_so(catalog, http):
    catalog.drop_table("ns.t")
    assert "no tables" in page(http.get("/"))
    catalog.drop_namespace("ns")
    assert "no namespace yet" in page(http.get("/"))


def test_a_table_whose_manifests_are_elsewhere_has_no_report(catalog, http, tmp_path):
    """The server reads for a client what the client may name, and no more."""
    other = FileSystemCatalog("other", {"warehouse": f"{tmp_path}/other"})
    other.create_namespace("ns")
    foreign = other.create_table("ns.t", ROWS)
    metadata = json.loads(foreign._inner.metadata_json())
    metadata["location"] = f"{tmp_path}/warehouse/ns/foreign"
    place = tmp_path / "warehouse" / "ns" / "foreign" / "metadata" / "00000-a.metadata.json"
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps(metadata))
    catalog.register_table("ns.foreign", str(place))
    assert "a manifest of the table" in page(http.get("/report/ns/foreign"), 403)
    with asking(catalog, allow_outside=True) as client:
        page(client.get("/report/ns/foreign"))


@needs_browser
def test_a_browser_shows_them(catalog, tmp_path):
    with listening(catalog) as url:
        place = url.replace("http://", f"http://any:{quote(TOKEN)}@")
        start = run_browser(tmp_path, "--dump-dom", f"{place}/")
        assert '<a href="/report/ns/t">t</a>' in start
        assert "<h2 id=" in run_browser(tmp_path, "--dump-dom", f"{place}{REPORT}")


@needs_browser
def test_keys_lead_through_the_start_page(catalog, tmp_path):
    catalog.create_namespace("other")
    with listening(catalog) as url, at_keyboard(tmp_path) as person:
        person.open(url.replace("http://", f"http://any:{quote(TOKEN)}@") + "/")
        found = []
        for _ in range(3):
            person.press("Tab")
            found.append(person.focused())
        assert [each["href"] for each in found] == ["/?namespace=ns", "/report/ns/t", "/?namespace=other"]
        assert all(each["ring"] for each in found)
        heard = person.heard()
        links = [each["name"] for each in heard if each["role"] == "link"]
        assert sorted(links) == ["ns", "other", "t"]
        headings = {(each["name"], each["level"]) for each in heard if each["role"] == "heading"}
        assert headings == {("served", 1), ("ns", 2), ("other", 2)}
        person.press("Tab", shift=True)
        person.follow("Enter")
        assert "Floeberg report" in person.look("document.title")
