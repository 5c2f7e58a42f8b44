"""What helps against an error of a step?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.errors import (
    InvalidInputError,
    NoSuchTableError,
    NotFoundError,
    NotInstalledError,
    PermissionDeniedError,
    StorageError,
    UnsupportedError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from floeberg.errors import FloebergError

__all__ = ["catalog_fix", "store_fix"]

_STEPS = {
    "configuration": "give the property as an argument of load_catalog, in the environment or in ~/.floeberg.yaml",
    "dns": "correct the host in 'uri', or use the network (VPN, resolver) in which the host has a name",
    "tcp": "start the server, correct the port in 'uri', or open the firewall between here and there",
    "tls": "give the certificate of the authority as 'ssl.cabundle', or write http:// where the server has no TLS",
    "credentials": "give credentials of the service: the guide page on catalogs has the properties of each kind",
    "authentication": "check that the server is up, and that 'uri' is the address of its API",
    "namespaces": "ask the administrator of the catalog for the right to list namespaces",
    "table": "open another table by table=..., or repair this one",
}
_DENIED = {
    "authentication": "the server answers, and does not know who asks: renew the credentials, or give others",
    "namespaces": "the server knows who asks: the role or the scope of the credentials lacks the right to list",
    "table": "the role of the credentials lacks the right to read the table or its metadata file",
}
_NOTHING_THERE = "check the path in 'uri' and the name in 'warehouse': the server has nothing there"
_NO_FOLDER = "a file has the name of a folder: give a folder as 'warehouse', or move the file away"
_UNKNOWN_CALLER = ("the server answered 401", "the server answered 419")
"""How errors of a server begin that does not know who asks. Who is known and may not is answered 403."""
_NO_ANSWER = "the server or the store did not answer as it should: the steps of the store say more"
_KEYS: Mapping[str, str] = {
    "s3": "give 's3.access-key-id' and 's3.secret-access-key', or AWS_* variables; the bucket's policy must allow "
    "s3:ListBucket, s3:GetObject, s3:PutObject and s3:DeleteObject",
    "gcs": "give 'gcs.service-account-path'; its role must have storage.objects.create, delete, get and list",
    "azure": "give 'adls.account-key' or a token; the role must be Storage Blob Data Contributor",
    "local": "let the user of this process read and write the folder",
}
_FAILED: Mapping[str, str] = {
    "s3": "check 's3.endpoint' and 's3.region': a bucket answers in its own region alone, and servers other than AWS "
    "often need 's3.path-style-access'",
    "gcs": "check the name of the bucket, and 'gcs.service.host' where it is not Google's",
    "azure": "check 'adls.account-name', the container, and 'adls.endpoint' where it is not Azure's",
    "local": "check that the disk is mounted and has space",
}
_NO_RACE = (
    "commit through a catalog that decides itself (type 'sql' or 'rest'): folders of this store lose commits of "
    "concurrent writers"
)


def catalog_fix(step: str) -> Callable[[FloebergError], str]:
    """What helps against an error of a step that reaches a catalog."""

    def fix(error: FloebergError) -> str:
        if isinstance(error, PermissionDeniedError) and error.message.startswith(_UNKNOWN_CALLER):
            return _DENIED["authentication"]
        known = (
            (NotInstalledError, True, "install what the error names"),
            (PermissionDeniedError, step in _DENIED, _DENIED.get(step, "")),
            (NoSuchTableError, True, "check the name: list_tables of the catalog has those that are there"),
            (NotFoundError, step == "authentication", _NOTHING_THERE),
            (InvalidInputError, step == "authentication", _STEPS["configuration"]),
            (InvalidInputError, "found a file" in error.message, _NO_FOLDER),
            (StorageError, step in ("namespaces", "table"), _NO_ANSWER),
        )
        found = (text for kind, applies, text in known if applies and isinstance(error, kind))
        return next(found, _STEPS[step])

    return fix


def store_fix(kind: str, location: str) -> Callable[[FloebergError], str]:
    """What helps against an error of a store."""

    def fix(error: FloebergError) -> str:
        if isinstance(error, PermissionDeniedError):
            return _KEYS.get(kind, "ask the owner of the store for the right")
        if isinstance(error, UnsupportedError) or "writers" in error.message:
            return _NO_RACE
        if kind == "local" and ("found a file" in error.message or "a file is where" in error.message):
            return _NO_FOLDER
        if isinstance(error, NotFoundError):
            return f"create the bucket or container of {location}, or correct 'warehouse'"
        return _FAILED.get(kind, "check the store")

    return fix
