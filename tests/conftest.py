"""Every table that a test wrote is checked at its end, by a checker that is none of the library's.

Which tables these are no test has to say: commits in this process are listened to, and the folder of the test is looked
through for tables of other processes. A test that breaks tables on purpose says why they are not to be checked:
`@pytest.mark.unchecked_tables("why")`.
"""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from xdist.scheduler import LoadScopeScheduling

from written_tables import Written

ROOT = Path(__file__).parent.parent
MARKER = "unchecked_tables"
# Tables of these tests are checked by the library itself too: then either it is wrong, or its check is.
CHECKED = ROOT / "tests" / "python" / "maintenance"


# Each JVM lives for minutes and runs most code once: what its second compiler would win, it costs twice. With one
# compiler it keeps 48 MB of compiled code unless told: Spark fills them in a minute, and is compiled again and again.
JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=256m -XX:MetaspaceSize=256m"
# Written by `make`, by tools/class_archive.py. Quiet, since a JVM of other classes passes over it.
CLASSES = Path(sys.prefix, "spark-classes.jsa")
WITH_CLASSES = f"{JVM} -XX:SharedArchiveFile={CLASSES} -Xlog:cds=off -Xlog:cds+dynamic=off"


def pytest_configure(config) -> None:
    """Declare the marker, and set up the JVMs that tests start."""
    os.environ.setdefault("JDK_JAVA_OPTIONS", WITH_CLASSES if CLASSES.exists() else JVM)
    config.addinivalue_line(
        "markers", f"{MARKER}(reason): the tables that the test wrote need not be conformant"
    )


@pytest.fixture(autouse=True)
def _tables_are_conformant(request) -> Iterator[None]:
    """Check what the test wrote."""
    marker = request.node.get_closest_marker(MARKER)
    if marker is not None:
        assert marker.args and marker.args[0], "say why the tables are not to be checked"
        yield
        return
    written = Written()
    # Made before, so that it is there afterwards.
    folder = request.getfixturevalue("tmp_path") if "tmp_path" in request.fixturenames else None
    with pytest.MonkeyPatch.context() as patches:
        written.listen(patches)
        yield
    if folder is not None:
        written.look_through(folder)
    faults = written.faults()
    assert not faults, "\n".join(
        ["the tables that the test wrote break the specification:", *map(str, faults[:20])]
    )
    if request.node.path.is_relative_to(CHECKED):
        findings = written.findings()
        assert not findings, "\n".join(["the check finds:", *map(str, findings[:20])])


@functools.cache
def _shared(path: str) -> str:
    """What the tests of a file share with no test that may run beside them: the file, or the port of Spark Connect."""
    file = ROOT / path
    connects = file.is_file() and re.search(r'\.remote\("', file.read_text())
    return "Spark Connect" if connects else path


class _ByWhatIsShared(LoadScopeScheduling):
    """Tests that share something run in one process, one after the other."""

    def _split_scope(self, nodeid: str) -> str:
        return _shared(nodeid.partition("::")[0])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log) -> LoadScopeScheduling:
    """Say which tests run in one process, where tests run in several."""
    return _ByWhatIsShared(config, log)


def pytest_collection_modifyitems(items) -> None:
    """Begin with the tests of Spark Connect, which take long together."""
    first = {path for path in {item.nodeid.partition("::")[0] for item in items} if _shared(path) != path}
    items.sort(key=lambda item: item.nodeid.partition("::")[0] not in first)
