"""Key management of encrypted tables: who wraps and unwraps the keys of a table.

`KeyFile`, `AwsKms`, `VaultTransit`, `GoogleKms` and `AzureKeyVault` are keepers of keys; `KeyManagement` is what a
class of your own has. `open_table` and `load_catalog` take one as `key_management`, or the options that name it.
"""

from floeberg.encryption.aws import AwsKms
from floeberg.encryption.azure import AzureKeyVault
from floeberg.encryption.choosing import key_management_of
from floeberg.encryption.google import GoogleKms
from floeberg.encryption.key_file import KeyFile, create_key, key_ids, rotate_key
from floeberg.encryption.key_management import KeyManagement
from floeberg.encryption.vault import VaultTransit

__all__ = [
    "AwsKms",
    "AzureKeyVault",
    "GoogleKms",
    "KeyFile",
    "KeyManagement",
    "VaultTransit",
    "create_key",
    "key_ids",
    "key_management_of",
    "rotate_key",
]
