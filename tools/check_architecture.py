"""Do the crates depend on each other, and on libraries, only as the architecture says?

The rules are the tables of [workspace.metadata.architecture] in Cargo.toml:

- `layers`: a crate may depend only on those to its left; crates that are not listed (tests, benches) may use every
  layer and each other, and no layer may use them.
- `only`: a library and the crates that may name it, in any kind of dependency.
- `banned`: libraries that nothing may name, not even for tests.
- `words`: a regular expression and the source files that may contain it (`tests` and comments do not count).
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from cargo_workspace import ROOT, is_test, load, strip_comments


def dependency_faults(workspace: dict[str, Any]) -> list[str]:
    """Return what is wrong with the dependencies in the output of `cargo metadata`."""
    rules = workspace["metadata"]["architecture"]
    layers: list[str] = rules["layers"]
    members = {package["name"] for package in workspace["packages"]}
    faults = [
        f"layers names {name}, which is no crate of the workspace" for name in layers if name not in members
    ]
    for package in workspace["packages"]:
        crate = package["name"]
        for dependency in package["dependencies"]:
            library = dependency["name"]
            if library in rules["banned"]:
                faults.append(f"{crate} depends on {library}, which is banned")
            if crate not in rules["only"].get(library, [crate]):
                faults.append(f"{crate} depends on {library}: only {', '.join(rules['only'][library])} may")
            if library not in members:
                continue
            if crate not in layers:
                continue
            if library not in layers:
                faults.append(f"{crate} depends on {library}, which is no layer")
            elif layers.index(library) >= layers.index(crate):
                faults.append(f"{crate} depends on {library}, which does not stand to its left in `layers`")
    return faults


def word_faults(rules: dict[str, list[str]], sources: dict[str, str]) -> list[str]:
    """Return the lines of `sources` (text by path from the root) with a word that their file may not contain."""
    faults = []
    for word, allowed in rules.items():
        pattern = re.compile(word)
        for path, text in sources.items():
            if path in allowed:
                continue
            for number, line in enumerate(strip_comments(text).splitlines(), start=1):
                if pattern.search(line):
                    faults.append(
                        f"{path}:{number}: `{word}` may stand only in {', '.join(allowed) or 'no file'}"
                    )
    return faults


def main() -> int:
    """Check the workspace; print every fault."""
    workspace = load()
    files = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "rust/*.rs"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    paths = [path for path in files.stdout.splitlines() if not is_test(Path(path)) and (ROOT / path).exists()]
    faults = dependency_faults(workspace)
    faults += word_faults(
        workspace["metadata"]["architecture"]["words"], {path: (ROOT / path).read_text() for path in paths}
    )
    for fault in faults:
        print(f"architecture: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
