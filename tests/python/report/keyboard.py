"""A person with a keyboard and a screen reader, in Chromium without a window.

Chromium takes commands of its DevTools protocol over two pipes: no port is opened. Keys are pressed as a keyboard
presses them, and what a screen reader gets is the tree of accessibility that Chromium hands to it.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from report.browser import CHROMIUM

_LONGEST = 60.0
_KEYS = {
    "Tab": ("Tab", 9, ""),
    "Enter": ("Enter", 13, "\r"),
    "Space": (" ", 32, " "),
    "ArrowRight": ("ArrowRight", 39, ""),
    "ArrowDown": ("ArrowDown", 40, ""),
}
_SHIFT = 8
_FOCUSED = """(() => {
  const at = document.activeElement, style = getComputedStyle(at);
  const all = [...document.querySelectorAll('*')];
  return {
    place: all.indexOf(at), tag: at.localName, text: (at.innerText || '').trim().slice(0, 200),
    href: at.getAttribute('href'), ring: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0,
    box: (r => [r.left, r.top, r.width, r.height])(at.getBoundingClientRect()),
  };
})()"""


class Person:
    """Someone at a page, who has no mouse."""

    def __init__(self, commands: int, answers: int) -> None:
        """Use `at_keyboard`."""
        self._commands, self._answers = commands, answers
        self._buffer, self._number = b"", 0
        self._session: str | None = None
        self._events: list[str] = []

    def attach(self) -> None:
        """Looks at the page."""
        targets = self.ask("Target.getTargets")["targetInfos"]
        page = next(each["targetId"] for each in targets if each["type"] == "page")
        self._session = self.ask("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Accessibility"):
            self.ask(f"{domain}.enable")
        # Who wants no motion gets none: then nothing moves when a test looks.
        calm = [{"name": "prefers-reduced-motion", "value": "reduce"}]
        self.ask("Emulation.setEmulatedMedia", features=calm)

    def open(self, address: str) -> None:
        """Opens a page."""
        self._events.clear()
        self.ask("Page.navigate", url=address)
        ends = time.monotonic() + _LONGEST
        while "Page.loadEventFired" not in self._events:
            self._receive(ends)

    def press(self, key: str, *, shift: bool = False) -> None:
        """Presses a key."""
        name, code, text = _KEYS[key]
        common = {
            "key": name,
            "code": key,
            "windowsVirtualKeyCode": code,
            "modifiers": _SHIFT if shift else 0,
        }
        more = {"text": text} if text else {}
        self.ask("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **common, **more)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **common)

    def follow(self, key: str) -> None:
        """Presses a key that leads to another page, and waits for that."""
        self._events.clear()
        self.press(key)
        ends = time.monotonic() + _LONGEST
        while "Page.loadEventFired" not in self._events:
            self._receive(ends)

    def focused(self) -> dict[str, Any]:
        """What has the focus."""
        return self.look(_FOCUSED)

    def look(self, expression: str) -> Any:
        """What an expression gives in the page."""
        return self.ask("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def heard(self) -> list[dict[str, Any]]:
        """What a screen reader gets: role, name and properties of each part that it does not skip."""
        nodes = self.ask("Accessibility.getFullAXTree")["nodes"]
        return [
            {
                "role": each["role"]["value"],
                "name": each.get("name", {}).get("value", ""),
                **{one["name"]: one["value"].get("value") for one in each.get("properties", ())},
            }
            for each in nodes
            if not each["ignored"]
        ]

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The answer to a command."""
        self._number += 1
        wanted = self._number
        message = {"id": wanted, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        ends = time.monotonic() + _LONGEST
        while True:
            answer = self._receive(ends)
            if answer.get("id") == wanted:
                assert "error" not in answer, answer
                return answer["result"]

    def _receive(self, ends: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            assert select.select([self._answers], [], [], max(ends - time.monotonic(), 0))[0], "no answer"
            found = os.read(self._answers, 1 << 16)
            assert found, "the browser ended"
            self._buffer += found
        text, _, self._buffer = self._buffer.partition(b"\0")
        message = json.loads(text)
        if "method" in message:
            self._events.append(message["method"])
        return message


@contextlib.contextmanager
def at_keyboard(folder: Path, *, width: int = 1200) -> Iterator[Person]:
    """A browser, and a person at it."""
    their_in, ours_out = _pipe(0)
    ours_in, their_out = _pipe(1)
    # The pipes have these numbers for Chromium.
    words = ["bash", "-c", f'exec "$0" "$@" 3<&{their_in} 4>&{their_out}', str(CHROMIUM)]
    words += ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    words += [
        "--remote-debugging-pipe",
        f"--user-data-dir={folder / 'keyboard'}",
        f"--window-size={width},900",
    ]
    browser = subprocess.Popen(
        [*words, "about:blank"],
        pass_fds=(their_in, their_out),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(their_in)
    os.close(their_out)
    try:
        person = Person(ours_out, ours_in)
        person.attach()
        yield person
        with contextlib.suppress(AssertionError, OSError):
            person.ask("Browser.close")
    finally:
        os.close(ours_out)
        os.close(ours_in)
        try:
            browser.wait(20)
        except subprocess.TimeoutExpired:
            browser.kill()
            browser.wait()


def _pipe(theirs: int) -> tuple[int, int]:
    """A pipe, whose end for Chromium has a number that nothing else has by then."""
    ends = list(os.pipe())
    high = fcntl.fcntl(ends[theirs], fcntl.F_DUPFD, 100)
    os.close(ends[theirs])
    ends[theirs] = high
    return ends[0], ends[1]
