"""A store of objects as a place for parts, by fsspec: `s3://bucket/folder` on any server that speaks S3, and others."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from schedlab.errors import BadInput, CannotRun
from schedlab.store.parts import FileStore

#: Kinds of stores in which an object is whole or absent. Others could show files that are half written.
WHOLE = ("s3", "gs", "az", "abfs", "memory")

#: Seconds until a server of S3 counts as one that does not answer.
PATIENCE = 10


class Remote(FileStore):
    """A ``FileStore`` in a store of objects. Raises `CannotRun` if the store does not answer."""

    def __init__(self, url: str, below: str = "") -> None:
        self.url = url
        kind, _, bucket = url.partition("://")
        if kind not in WHOLE:
            allowed = ", ".join(f"{name}://" for name in WHOLE)
            raise CannotRun(f"--store {url}: files there may be seen half written; allowed: {allowed}; or --out FOLDER")
        if not bucket.partition("/")[0]:
            raise BadInput(f"--store {url}: names no bucket; allowed: {kind}://BUCKET/FOLDER")
        with self._asked("opened"):
            self.files, root = _opened(url)
        self.root = f"{root.rstrip('/')}/{below}".rstrip("/")

    def __str__(self) -> str:
        return f"{self.url.partition('://')[0]}://{self.root}"

    def list(self) -> list[str]:
        """Lists the names of all Parquet objects below the root, in order."""
        self.files.invalidate_cache()
        with self._asked("listed"):
            try:
                # If a store does not answer, `find` alone would find nothing, so `ls` comes first.
                self.files.ls(self.root)
            except FileNotFoundError:
                return []
            names: list[str] = self.files.find(self.root)
        below = len(self.root) + 1
        return sorted(name[below:] for name in names if name.endswith(".parquet"))

    def read(self, name: str) -> bytes:
        """Reads an object; raises `FileNotFoundError` if it is not there."""
        with self._asked("read"):
            content: bytes = self.files.cat_file(f"{self.root}/{name}")
        return content

    def write(self, name: str, content: bytes) -> None:
        """Writes an object with one request, so that it is whole or absent."""
        with self._asked("written"):
            self.files.pipe_file(f"{self.root}/{name}", content)

    @contextmanager
    def _asked(self, what: str) -> Iterator[None]:
        """Turns exceptions into `CannotRun` with advice; `FileNotFoundError` passes, because the caller handles it."""
        try:
            yield
        except FileNotFoundError:
            raise
        except ImportError as error:
            raise CannotRun(f"--store {self.url}: {error}") from error
        except Exception as error:
            # Each store has exceptions of its own.
            said = str(error).partition("\n")[0] or type(error).__name__
            raise CannotRun(
                f"--store {self.url}: cannot be {what}: {said}. Look at its address (AWS_ENDPOINT_URL), the bucket and "
                "the keys. What was finished is stored, and the same command continues"
            ) from error


def _opened(url: str) -> tuple[Any, str]:
    """Returns the file system of a store, and the place in it. Stores that speak S3 are accessed by Arrow."""
    try:
        # The optional extra `cluster` installs fsspec.
        from fsspec.core import url_to_fs
        from fsspec.implementations.arrow import ArrowFSWrapper
    except ImportError as error:
        raise ImportError(f"{error}; install it: pip install 'schedlab[cluster]'") from error
    if not url.startswith("s3://"):
        files, root = url_to_fs(url)
        return files, root
    # Only S3 needs this file system, which is slow to import.
    from pyarrow.fs import S3FileSystem

    told = {"endpoint_override": endpoint} if (endpoint := os.environ.get("AWS_ENDPOINT_URL")) else {}
    return ArrowFSWrapper(S3FileSystem(connect_timeout=PATIENCE, **told)), url.removeprefix("s3://")
