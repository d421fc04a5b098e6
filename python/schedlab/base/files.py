"""Files that are whole or absent: a reader never sees a result that is half written."""

from __future__ import annotations

import errno
import os
import secrets
import shlex
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from schedlab.errors import BadInput, CannotRun, Failed

#: Errors of a disk that cannot take more, or not any longer.
DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS}


#: Endings that a folder must not have when it is made, because it would be taken for a picture or a table.
FILES = {
    ".arrow", ".csv", ".html", ".ipynb", ".jpg", ".json", ".jsonl", ".md", ".parquet", ".pdf", ".pftrace", ".png",
    ".slt", ".svg", ".tex", ".toml", ".trace", ".txt", ".xml", ".zip",
}  # fmt: skip


def expect_name_of_folder(path: Path) -> None:
    """Raises `BadInput` if `path`, or a folder above it, is to become a folder and is named like a file."""
    for folder in (path, *path.parents):
        if folder.suffix.lower() in FILES and not folder.is_dir():
            ending = folder.suffix
            raise BadInput(f"{folder}: the answer is a folder, which cannot end in {ending}; allowed: another name")


def make_folder(folder: Path) -> None:
    """Makes a folder for an answer, and those above it, if they are not there."""
    expect_name_of_folder(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failed(f"{folder}: cannot be made: {error.strerror}") from error


def own_folder(folder: Path) -> Path:
    """Makes a folder that only this user can change, and returns it; raises `CannotRun` if there is one of others."""
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
        raise CannotRun(f"{folder}: others can change what is in it: remove it, or set TMPDIR to a folder of your own")
    return folder


def is_special(path: Path) -> bool:
    """True if `path` is a device, a pipe or the like, which is written to but never replaced."""
    return path.exists() and not path.is_file() and not path.is_dir()


def expect_folder(path: Path) -> None:
    """Raises `Failed` if the folder in which `path` is to be written is not there: folders are not made silently."""
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise Failed(f"{path}: there is no folder {folder}; make it first: mkdir -p {shlex.quote(str(folder))}")


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """Yields an empty file beside `path`, which takes its place when the block ends without an exception.

    A link stays a link: the file that it names is replaced. A replaced file leaves its mode and, where this user
    may give files away, its owner and group to the new one. Raises `Failed` if the folder is not there.
    """
    final = Path(os.path.realpath(path))
    expect_folder(path)
    # Replacing a device, as root may, would take it from all other programs.
    assert not is_special(final), f"{final}: a device or a pipe is written to, never replaced"
    if final.is_dir() or (final.exists() and not os.access(final, os.W_OK)):
        reason = "Is a directory" if final.is_dir() else "Permission denied"
        raise Failed(f"{path}: cannot be written: {reason}")
    try:
        part = final.with_name(f".{final.name}.{secrets.token_hex(4)}.part")
        before = final.stat() if final.exists() else None
        # Until it has the mode of the file before it, the new file is the owner's alone.
        part.touch(mode=0o666 if before is None else 0o600, exist_ok=False)
        if before is not None:
            with suppress(PermissionError):
                os.chown(part, before.st_uid, before.st_gid)
            part.chmod(stat.S_IMODE(before.st_mode))
    except OSError as error:
        raise Failed(f"{path}: cannot be written: {error.strerror}") from error
    try:
        yield part
        part.replace(final)
    except BaseException as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno in DISK:
            raise Failed(f"{path}: cannot be written: {error.strerror}") from error
        raise


@contextmanager
def writing_whole(path: Path | str, mode: str = "w") -> Iterator[IO[Any]]:
    """Yields a stream into a file that is whole or absent; into a device or a pipe directly."""
    path = Path(path)
    encoding = None if "b" in mode else "utf-8"
    if is_special(path):
        try:
            with path.open(mode, encoding=encoding) as stream:
                yield stream
        except OSError as error:
            if isinstance(error, BrokenPipeError):
                raise
            raise Failed(f"{path}: cannot be written: {error.strerror}") from error
        return
    with beside(path) as part, part.open(mode, encoding=encoding) as stream:
        yield stream


def write_whole(path: Path | str, content: str | bytes, *, durable: bool = False) -> None:
    """Writes `content` to `path`, whole or not at all.

    A durable file survives a power failure too, for the price of waiting for the disk.
    """
    with writing_whole(path, "wb" if isinstance(content, bytes) else "w") as stream:
        stream.write(content)
        if durable:
            stream.flush()
            os.fsync(stream.fileno())


def read_bytes(path: Path | str) -> bytes:
    """Returns the content of `path`; raises `BadInput` if it cannot be read."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror}") from error
