"""Another writer commits while an operation is on its way."""

from __future__ import annotations

import floeberg as fb
from floeberg.commit import staging


def beside(tmp_path, monkeypatch, happens):
    """Lets another writer commit after rows were found, and before they are committed."""
    find, done = staging.StagedOperations._find, []

    def slower(self, staged):
        find(self, staged)
        if not done:
            done.append(True)
            happens(fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path)).load_table("ns.t"))

    monkeypatch.setattr(staging.StagedOperations, "_find", slower)
