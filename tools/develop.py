"""Installs this checkout, as it is, into the environment of the Python that runs this script.

`maturin develop` does so too, but it builds the native module by a call of Cargo of its own. Cargo would then compile
many libraries twice: for the module, and for the target binary with other features. Here Cargo has built both before.
What is installed is an editable wheel (PEP 660): the package's metadata, by maturin, and the path of `python/`.
"""

import base64
import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MATURIN = Path(sys.executable).with_name("maturin")


def metadata(folder: Path) -> Path:
    """The folder `schedlab-<version>.dist-info`, written into `folder`."""
    command = [MATURIN, "pep517", "write-dist-info", "--metadata-directory", folder, "-i", sys.executable]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    [written] = folder.glob("*.dist-info")
    return written


def editable_wheel(folder: Path) -> Path:
    """A wheel without code: Python finds the package where it stands."""
    written = metadata(folder)
    files = {str(path.relative_to(folder)): path.read_bytes() for path in sorted(written.rglob("*")) if path.is_file()}
    files["schedlab.pth"] = f"{ROOT / 'python'}\n".encode()
    record = f"{written.name}/RECORD"
    lines = [f"{name},sha256={digest(data)},{len(data)}" for name, data in files.items() if name != record]
    files[record] = "\n".join([*lines, f"{record},,", ""]).encode()
    wheel = folder / f"{written.stem}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return wheel


def digest(data: bytes) -> str:
    """The hash as wheels have it: URL-safe base64 without padding."""
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        wheel = editable_wheel(Path(folder))
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--no-deps", "--force-reinstall", wheel], check=True)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"tools/develop.py: {' '.join(map(str, error.cmd))} failed\n{error.stderr or ''}")
