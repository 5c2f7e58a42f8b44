"""Chromium looks at a page, without a window and without a network, and says what it sees."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="chromium is not installed: apt-get install chromium"
)
WIDTHS = (390, 820, 1366)

# The page itself runs no script. So it stands in frames of several widths, and the page around them looks into these.
_HARNESS = """<!doctype html><meta charset="utf-8"><body>
<div id="frames"></div><script id="look">
const widths = %s, html = %s, found = {};
function rgb(text) { return (text.match(/[\\d.]+/g) || []).map(Number); }
function behind(node, view) {
  for (; node; node = node.parentElement) {
    const colour = rgb(view.getComputedStyle(node).backgroundColor);
    if (colour.length === 3 || colour[3] > 0) return colour;
  }
  return [255, 255, 255];
}
function light(colour) {
  const [r, g, b] = colour.slice(0, 3).map(c => c / 255)
    .map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function contrast(node, view) {
  const [a, b] = [light(rgb(view.getComputedStyle(node).color)), light(behind(node, view))].sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
}
function look(frame) {
  const page = frame.contentDocument, view = frame.contentWindow;
  const all = selector => [...page.querySelectorAll(selector)];
  all("details").forEach(each => { each.open = true; });
  const seen = all("svg[role=img]").filter(each => each.getClientRects().length);
  const reached = all("a[href], summary, [tabindex='0']");
  const texts = all("h1, h2, h3, p, dt, dd, th, td, a, summary, code, strong, .ref, .small, .mark, caption, li, footer")
    .filter(each => each.innerText && each.getClientRects().length);
  return {
    width: page.documentElement.scrollWidth,
    height: page.documentElement.scrollHeight,
    outside: texts.filter(each => !each.closest(".scroll") && !each.closest(".skip") &&
      (each.getBoundingClientRect().right > view.innerWidth + 1 || each.getBoundingClientRect().left < -1))
      .map(each => each.outerHTML.slice(0, 80)),
    title: page.title,
    headings: all("h1, h2, h3, h4").map(each => Number(each.tagName[1])),
    elements: [...new Set(all("*").map(each => each.localName))],
    handlers: all("*").filter(each => [...each.attributes].some(a => /^on/i.test(a.name))).length,
    addresses: all("[src], [href]").map(each => each.getAttribute("src") || each.getAttribute("href")),
    broken: all("nav a").filter(each => !page.querySelector(each.getAttribute("href"))).length,
    pictures: seen.map(each => [each.computedRole, each.computedName, Math.round(each.getBoundingClientRect().width)]),
    reached: reached.map(each => { each.focus(); return [each === page.activeElement, each.computedName || ""]; }),
    contrast: Math.min(...texts.map(each => contrast(each, view))),
    background: rgb(view.getComputedStyle(page.body).backgroundColor),
    tables: all("table").length, captions: all("table > caption").length,
    main: all("main").length, language: page.documentElement.lang, text: page.body.innerText,
  };
}
for (const width of widths) {
  const frame = document.createElement("iframe");
  frame.width = width; frame.height = 900; frame.srcdoc = html;
  frame.onload = () => {
    found[width] = look(frame);
    if (Object.keys(found).length === widths.length) {
      document.getElementById("frames").remove();
      const out = document.createElement("pre"); out.id = "found"; out.textContent = JSON.stringify(found);
      document.body.append(out);
    }
  };
  document.getElementById("frames").append(frame);
}
</script></body>
"""


def look_at(page: str, folder: Path, *, dark: bool = False) -> dict[int, dict]:
    """What the browser sees in windows of three widths."""
    # A script of the harness must not end where the page has the same letters.
    written = json.dumps(page).replace("</", "<\\/").replace("<!--", "<\\!--")
    file = folder / "harness.html"
    file.write_text(_HARNESS % (json.dumps(WIDTHS), written), encoding="utf-8")
    dom = run_browser(folder, "--virtual-time-budget=8000", "--dump-dom", file.as_uri(), dark=dark)
    found = re.search(r'<pre id="found">(.*?)</pre>', dom, flags=re.DOTALL)
    assert found, dom[-500:]
    return {int(width): seen for width, seen in json.loads(html.unescape(found.group(1))).items()}


def run_browser(folder: Path, *words: str, dark: bool = False) -> str:
    """What the browser writes to standard output."""
    ran = subprocess.run(
        [
            str(CHROMIUM),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--hide-scrollbars",
            "--enable-blink-features=ComputedAccessibilityInfo",
            f"--blink-settings=preferredColorScheme={0 if dark else 1}",
            f"--user-data-dir={folder / 'profile'}",
            *words,
        ],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=240,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    return ran.stdout
