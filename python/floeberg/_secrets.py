"""What of a text must nobody see?

In: a text that may have addresses in it. Out: the same without their passwords and signatures.

Signatures of addresses are as good as passwords: whoever has a signed address of Azure, S3 or Google reads the file.
"""

from __future__ import annotations

import re

from floeberg._native import without_passwords

__all__ = ["without_secrets"]

_SIGNATURE = re.compile(
    r"([?&;](?:amp;)?(?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature)=)[^&\s'\"<>()`,;]+",
    re.IGNORECASE,
)


def without_secrets(text: str) -> str:
    """A text without the passwords and the signatures of the addresses in it.

    Examples:
        >>> without_secrets("no file at abfss://c@a.dfs.core.windows.net/t?sv=1&sig=hush%3D&se=2")
        'no file at abfss://c@a.dfs.core.windows.net/t?sv=1&sig=***&se=2'
    """
    clean = without_passwords(text)
    return _SIGNATURE.sub(r"\1***", clean) if "=" in clean else clean
