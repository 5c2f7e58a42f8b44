"""How are objects pickled for workers that may lack Floeberg?

Pickle stores classes by name. A worker without the package would only say `No module named 'floeberg'`. So each pickle
carries a few lines of code, which import the package or say what to do.

Invariant: plain pickle can load these bytes, wherever PySpark is installed.
"""

from __future__ import annotations

import pickle
import zlib
from dataclasses import fields
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable


def importer() -> Callable[[str, str], Any]:
    """A function that imports a name from a module of Floeberg, or says how to install it.

    It is made here and refers to nothing around it, so that cloudpickle sends its code.
    """

    def load(module: str, name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
        import importlib  # noqa: PLC0415 - nothing around this function travels with it
        import sys  # noqa: PLC0415

        try:
            importlib.import_module("pyarrow")
            return getattr(importlib.import_module(module), name)
        except ImportError as error:
            version = ".".join(map(str, sys.version_info[:3]))
            raise ImportError(
                f"Spark runs its Python workers with {sys.executable} (Python {version}), which cannot import "
                f"Floeberg: {error}. Install it there (pip install 'floeberg[spark]'), or name a Python that has "
                f"it before the session starts: the environment variable PYSPARK_PYTHON, or spark.pyspark.python. "
                f"On a cluster, send an environment with it by spark.archives."
            ) from error

    return load


def pickle_call(module: str, name: str, *arguments: Any) -> tuple[Callable[..., Any], tuple[bytes]]:  # noqa: ANN401
    """What `__reduce__` returns for an object that a call makes anew.

    Args:
        module: A module of Floeberg.
        name: The function or class to call.
        *arguments: Its arguments.

    Returns:
        `pickle.loads`, and the bytes to load.
    """
    from pyspark import cloudpickle  # noqa: PLC0415 - there is nothing to send without PySpark

    body = zlib.compress(pickle.dumps(arguments), level=1)
    return pickle.loads, (cloudpickle.dumps(_PickledCall(module, name, body)),)  # type: ignore[no-untyped-call]


class Sent:
    """A dataclass that is sent to workers by its fields."""

    def __reduce__(self) -> tuple[Any, ...]:
        own = type(self)
        parts = [getattr(self, each.name) for each in fields(cast("Any", self))]
        return pickle_call(own.__module__, own.__name__, *parts)


class _PickledCall:
    """Pickles as a call of code that is sent along."""

    def __init__(self, module: str, name: str, body: bytes) -> None:
        self._parts = (module, name, body)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, str, bytes]]:
        load = importer()

        def unpack(module: str, name: str, body: bytes) -> Any:  # noqa: ANN401
            import pickle  # noqa: PLC0415
            import zlib  # noqa: PLC0415

            return load(module, name)(*pickle.loads(zlib.decompress(body)))  # noqa: S301 - made by this module

        return unpack, self._parts
