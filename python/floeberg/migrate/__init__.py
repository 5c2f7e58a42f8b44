"""What must a script for PyIceberg change, to run here?

In: the text of a script, which is parsed and never imported. Out: the places that must change, or mean something
else, each with what to write. `python -m floeberg.migrate script.py` lists them.
"""

from floeberg.migrate._change import Change
from floeberg.migrate._scripts import changes_of

__all__ = ["Change", "changes_of"]
