"""A store of objects as a place for parts, by fsspec: `s3://bucket/folder` on any server that speaks S3, and others."""

from __future__ import annotations

import os
from typing import Any

from schedlab.errors import CannotRun
from schedlab.store.parts import Place

#: Stores in which an object is whole or absent. Others would show files that are half written.
WHOLE = ("s3", "gs", "az", "abfs", "memory")


class Remote(Place):
    """See ``Place``."""

    def __init__(self, url: str) -> None:
        self.url, kind = url, url.partition("://")[0]
        if kind not in WHOLE:
            allowed = ", ".join(f"{name}://" for name in WHOLE)
            raise CannotRun(f"--store {url}: files there may be seen half written; allowed: {allowed}; or --out FOLDER")
        try:
            self.files, self.root = _opened(url)
        except ImportError as error:
            raise CannotRun(f"--store {url}: {error}; install it: pip install 'schedlab[cluster]'") from error

    def __str__(self) -> str:
        return self.url

    def list(self) -> list[str]:
        """See ``Place``."""
        self.files.invalidate_cache()
        names: list[str] = self.files.find(self.root)
        below = len(self.root.rstrip("/")) + 1
        return sorted(name[below:] for name in names if name.endswith(".parquet"))

    def read(self, name: str) -> bytes:
        """See ``Place``."""
        content: bytes = self.files.cat_file(f"{self.root}/{name}")
        return content

    def write(self, name: str, content: bytes) -> None:
        """See ``Place``. One request writes an object."""
        self.files.pipe_file(f"{self.root}/{name}", content)


def _opened(url: str) -> tuple[Any, str]:
    """The file system of a store, and the place in it. What speaks S3 is asked by Arrow, which is there anyway."""
    if not url.startswith("s3://"):
        from fsspec.core import url_to_fs

        files, root = url_to_fs(url)
        return files, root
    from fsspec.implementations.arrow import ArrowFSWrapper
    from pyarrow.fs import S3FileSystem

    told = {"endpoint_override": endpoint} if (endpoint := os.environ.get("AWS_ENDPOINT_URL")) else {}
    return ArrowFSWrapper(S3FileSystem(**told)), url.removeprefix("s3://").rstrip("/")
