"""How do objects cross to a Python that may lack Floeberg?

What Spark sends to its workers is pickled by name, and a worker that lacks the package would say `No module named
'floeberg'` and no more. A parcel brings along the few lines that look for the package and say what to do.

Invariant: a parcel is opened by pickle alone, wherever PySpark is installed.
"""

from __future__ import annotations

import pickle
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def fetcher() -> Callable[[str, str], Any]:
    """A function that finds a name in a module of Floeberg, or says what to do where there is none.

    It is made here and not imported, and refers to nothing around it, so that cloudpickle sends its code.
    """

    def fetch(module: str, name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
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

    return fetch


def parcel(module: str, name: str, *arguments: Any) -> tuple[Callable[..., Any], tuple[bytes]]:  # noqa: ANN401
    """What `__reduce__` returns for an object that is made by calling a name of a module.

    Args:
        module: The module of Floeberg.
        name: What is called in it.
        *arguments: With what. They must pickle without Floeberg.

    Returns:
        A function that every Python has, and what to give it.
    """
    from pyspark import cloudpickle  # noqa: PLC0415 - there is nothing to send without PySpark

    body = zlib.compress(pickle.dumps(arguments), level=1)
    return pickle.loads, (cloudpickle.dumps(_Parcel(module, name, body)),)  # type: ignore[no-untyped-call]


class _Parcel:
    """Pickles as a call of code that travels along."""

    def __init__(self, module: str, name: str, body: bytes) -> None:
        self._parts = (module, name, body)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, str, bytes]]:
        fetch = fetcher()

        def unpack(module: str, name: str, body: bytes) -> Any:  # noqa: ANN401
            import pickle  # noqa: PLC0415
            import zlib  # noqa: PLC0415

            return fetch(module, name)(*pickle.loads(zlib.decompress(body)))  # noqa: S301 - made by this module

        return unpack, self._parts
