"""Writes wheels of this checkout. The metadata is maturin's; the archive is a zip with a list of its files."""

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Collection, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def metadata(folder: Path) -> Path:
    """The folder `schedlab-<version>.dist-info`, written into `folder`."""
    command = [program("maturin"), "pep517", "write-dist-info", "--metadata-directory", folder, "-i", sys.executable]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    [written] = folder.glob("*.dist-info")
    return written


def program(name: str) -> str:
    """The path of a program that pip installs."""
    # Beside this Python in an environment that is not activated; on the PATH where pip builds in isolation.
    places = [str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
    found = shutil.which(name, path=os.pathsep.join(places))
    if found is None:
        sys.exit(f"tools/wheels.py: {name} is not here; pip install {name}")
    return found


def write_wheel(
    folder: Path, written: Path, tag: str, files: Mapping[str, bytes], executables: Collection[str] = ()
) -> Path:
    """Writes the wheel with the metadata `written` and `files`, of which `executables` may be executed."""
    found = {str(path.relative_to(written.parent)): path for path in sorted(written.rglob("*")) if path.is_file()}
    every = dict(files) | {name: path.read_bytes() for name, path in found.items()}
    record = f"{written.name}/RECORD"
    lines = [f"{name},sha256={digest(data)},{len(data)}" for name, data in every.items()]
    every[record] = "\n".join([*lines, f"{record},,", ""]).encode()
    wheel = folder / f"{written.stem}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in every.items():
            # A fixed date: the same files give the same bytes.
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if name in executables else 0o100644) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return wheel


def digest(data: bytes) -> str:
    """The hash as wheels have it: URL-safe base64 without padding."""
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
