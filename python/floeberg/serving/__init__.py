"""A REST catalog of Iceberg over any catalog: `floeberg serve`.

Examples:
    >>> from floeberg.serving import application
    >>> app = application(catalog, token="a secret")
"""

from floeberg.serving.running import application, serve

__all__ = ["application", "serve"]
