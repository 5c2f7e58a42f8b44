"""Functions of SQL that catalogs keep: their metadata is read, listed and written. Nothing here runs a function.

Spec: UDF Spec.
"""

from floeberg.udf.files import open_udf
from floeberg.udf.function import CatalogFunction
from floeberg.udf.metadata import UdfMetadata
from floeberg.udf.parts import SQLUdfRepresentation, UdfDefinition, UdfLogEntry, UdfParameter, UdfVersion

__all__ = [
    "CatalogFunction",
    "SQLUdfRepresentation",
    "UdfDefinition",
    "UdfLogEntry",
    "UdfMetadata",
    "UdfParameter",
    "UdfVersion",
    "open_udf",
]
