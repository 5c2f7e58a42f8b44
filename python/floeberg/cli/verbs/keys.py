"""Which verbs make and show the keys of a key file? No verb shows a key."""

from typing import Annotated

import typer

from floeberg.cli.results import show_result
from floeberg.cli.session import Session, group, verb
from floeberg.encryption import create_key, key_ids, rotate_key

__all__ = ["add_to"]

_File = Annotated[str, typer.Argument(metavar="FILE", help="The key file.", show_default=False)]
_Id = Annotated[
    str,
    typer.Argument(
        metavar="KEY_ID", help="The id of the key: a table's encryption.key-id.", show_default=False
    ),
]


def add_to(app: typer.Typer) -> None:
    """Adds the verbs."""
    keys = group("Makes and lists keys of encrypted tables in a file of this machine.")
    verb(keys, "create", examples=("keys create keys.json customers",))(_create)
    verb(keys, "rotate", examples=("keys rotate keys.json customers",))(_rotate)
    verb(keys, "list", examples=("keys list keys.json",))(_list)
    app.add_typer(keys, name="keys")


def _create(
    session: Session,
    file: _File,
    key_id: _Id,
    *,
    length: Annotated[int, typer.Option(metavar="BYTES", help="16, 24 or 32.")] = 32,
) -> None:
    """Makes a random key. The file is made where it does not exist. Keep a copy of it: a lost key opens no table."""
    session.output.check_form()
    create_key(file, key_id, length=length)
    show_result(session.output, {"file": file, "key": key_id, "versions": 1})


def _rotate(session: Session, file: _File, key_id: _Id) -> None:
    """Adds a version to a key, which wraps from now on. The old versions still open what they wrapped."""
    session.output.check_form()
    versions = rotate_key(file, key_id)
    show_result(session.output, {"file": file, "key": key_id, "versions": versions})


def _list(session: Session, file: _File) -> None:
    """Lists the ids of keys, and how many versions each has."""
    session.output.table(("key", "versions"), sorted(key_ids(file).items()))
