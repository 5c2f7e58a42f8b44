"""Which options has a change of a Lance table, whatever it does?

Methods of tables take them as keywords, and describe only what is their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LanceCommitOptions"]


class LanceCommitOptions(TypedDict, total=False):
    """How a change of a Lance table is committed: keywords of `LanceTable.append` and of all methods that change rows.

    Attributes:
        transaction_properties: Entries of the transaction's properties.
        idempotency_key: The key of the commit. If an earlier commit has it, nothing is done. Using the key for another
            operation is an error.
    """

    transaction_properties: Mapping[str, str] | None
    idempotency_key: str | None
