"""The tool that runs snippets of PyIceberg's documentation tells the same from the other."""

from __future__ import annotations

from pyiceberg_documentation import main, outcomes, snippets_of

PAGE = """
```python
from pyiceberg.expressions import EqualTo

table.scan(EqualTo("symbol", "a")).to_arrow()
```

```python
table.scan(snapshot_id=805611270568163028).to_arrow().num_rows
```

```python
names = sorted(field.name for field in tbl.schema().fields)
```

```python
print(names)
```

```python
table.io.properties.copy()
```

```python
catalog.drop_table("docs_example.bids")
catalog.list_tables("docs_example")
```

```python
import nothing.that.was.there

nothing.call()
```

```python
print(len(table.inspect.files().column_names))
```

```python
this is no Python
```

```bash
pip install pyiceberg
```
"""


def test_each_snippet_is_told(tmp_path, capsys):
    (tmp_path / "page.md").write_text(PAGE, encoding="utf-8")
    snippets = snippets_of(tmp_path)
    kinds = {each.snippet.number: each.kind for each in outcomes(snippets)}
    # What prints names of another snippet runs with that one before it.
    assert kinds == {
        0: "same",
        1: "same",
        2: "same",
        3: "same",
        4: "missing",
        5: "same",
        6: "not run",
        7: "differs",
    }
    assert main(str(tmp_path), "7") == 0
    out = capsys.readouterr().out
    assert "differs" in out and "{'differs': 1}" in out
