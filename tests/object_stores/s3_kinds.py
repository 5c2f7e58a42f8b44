"""How are catalogs made whose tables are in S3?"""

from __future__ import annotations

from pathlib import Path

from catalog_kinds import Kind

from floeberg.catalog import Catalog, FileSystemCatalog
from floeberg.catalog.sql import SqlCatalog

BUCKET = "tables"


def filesystem(name: str, folder: Path) -> Catalog:
    del folder
    return FileSystemCatalog(name, {"warehouse": f"s3://{BUCKET}/{name}"})


def sqlite(name: str, folder: Path) -> Catalog:
    return SqlCatalog(name, {"uri": f"sqlite:///{folder}/catalog.db", "warehouse": f"s3://{BUCKET}/{name}"})


KINDS = {
    "filesystem": Kind(filesystem, has_properties=False, renames=False, views=False),
    "sqlite": Kind(sqlite),
}
