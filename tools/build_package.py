"""Builds schedlab's wheel and its sdist for pip (PEP 517), and the libraries for C (`make c`).

One call of Cargo builds the native module, the target binary and the C library. By maturin alone, the wheel would have
the module only, and what the three share would be compiled for each of them.
"""

import io
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from wheels import ROOT, metadata, program, write_wheel

PACKAGE = ROOT / "python" / "schedlab"
CAPI = ROOT / "crates" / "capi"
VERSION = re.search(r'^version = "(.*)"$', (ROOT / "Cargo.toml").read_text(encoding="utf-8"), re.MULTILINE)[1]
#: What of a wheel was compiled.
BINARIES = ("libschedlab_native.so", "schedlab-rt", "libschedlab.so")
PKG_CONFIG = {"libschedlab.so": "schedlab.pc", "libschedlab.a": "schedlab-static.pc"}


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: object = None) -> str:
    """The name of the folder with the metadata: pip reads it before it builds anything."""
    return metadata(Path(metadata_directory)).name


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: str | None = None) -> str:
    """The wheel: the package, the target binary, the C library and its header, the sources for `schedlab new`."""
    if sys.platform != "linux":
        sys.exit("schedlab runs tasks on Linux: its wheel is built there")
    with_kernel, glibc = chooses_kernel(config_settings), chosen_glibc(config_settings)
    packages = ["schedlab-native", "schedlab-rt", "schedlab-capi"]
    features: list[str] = []
    if with_kernel:
        check_tools()
        packages += ["schedlab-scx"]
        features = ["schedlab-rt/kernel", "schedlab-capi/kernel", "schedlab-scx/vendored"]
    built = cargo_build(*packages, features=features, glibc=glibc)
    with tempfile.TemporaryDirectory() as folder:
        written = metadata(Path(folder))
        binary = "schedlab/_bin/schedlab-rt"
        files = dict(package()) | dict(sources())
        files["schedlab/_native.abi3.so"] = built["libschedlab_native.so"].read_bytes()
        files[binary] = built["schedlab-rt"].read_bytes()
        if with_kernel:
            files |= licences_of_linked()
        # What is below `data` is installed into the environment itself, where pkg-config can be told to look.
        data = f"schedlab-{VERSION}.data/data"
        files |= {f"{data}/{name}": content for name, content in for_c(built["libschedlab.so"])}
        tag = state_tag(written, [built[name].read_bytes() for name in BINARIES])
        return write_wheel(Path(wheel_directory), written, tag, files, [binary]).name


def build_editable(wheel_directory: str, config_settings: object = None, metadata_directory: str | None = None) -> str:
    """A wheel without code (PEP 660): Python finds the package where it stands, as `make setup` built it."""
    if not (PACKAGE / "_native.abi3.so").is_file():
        sys.exit("this checkout is not built: `make setup` builds it and installs it into .venv")
    with tempfile.TemporaryDirectory() as folder:
        files = {"schedlab.pth": f"{PACKAGE.parent}\n".encode()}
        return write_wheel(Path(wheel_directory), metadata(Path(folder)), "py3-none-any", files).name


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    """The sdist: what git knows of this checkout, as it stands."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    name = f"schedlab-{VERSION}"
    with tempfile.TemporaryDirectory() as folder:
        description = (metadata(Path(folder)) / "METADATA").read_bytes()
    with tarfile.open(Path(sdist_directory) / f"{name}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(filter(None, listed.split("\0"))):
            archive.add(ROOT / path, f"{name}/{path}", recursive=False)
        about = tarfile.TarInfo(f"{name}/PKG-INFO")
        about.size = len(description)
        archive.addfile(about, io.BytesIO(description))
    return f"{name}.tar.gz"


def state_tag(written: Path, binaries: list[bytes]) -> str:
    """The wheel's tag, also written into its metadata: which C library `binaries` need (PEP 600).

    That is the newest version of glibc which a binary names anywhere, so it may be too new and is never too old. Where
    no binary names one, such as with musl, the tag stays that of this machine. `make test-package` has auditwheel judge
    it.
    """
    wheel = written / "WHEEL"
    text = wheel.read_text(encoding="utf-8")
    [tag] = re.findall(r"^Tag: (\S+)$", text, re.MULTILINE)
    needed = [int(minor) for binary in binaries for minor in re.findall(rb"GLIBC_2\.(\d+)", binary)]
    if not needed:
        return tag
    # 2.17 is the oldest for which Rust builds.
    stated = tag.replace("-linux_", f"-manylinux_2_{max(17, *needed)}_")
    wheel.write_text(text.replace(tag, stated), encoding="utf-8")
    return stated


def chooses_kernel(config_settings: object) -> bool:
    """True if the wheel is to load schedulers into the kernel: `pip wheel . --config-settings kernel=yes`."""
    if not isinstance(config_settings, dict) or "kernel" not in config_settings:
        return False
    if config_settings["kernel"] not in ("yes", "no"):
        sys.exit(f"--config-settings kernel={config_settings['kernel']}: allowed: yes, no")
    return bool(config_settings["kernel"] == "yes")


def chosen_glibc(config_settings: object) -> str | None:
    """The oldest glibc that the wheel goes with (`--config-settings glibc=2.28`); None is that of this machine."""
    if not isinstance(config_settings, dict) or "glibc" not in config_settings:
        return None
    version = str(config_settings["glibc"])
    if not re.fullmatch(r"2\.\d+", version) or int(version[2:]) < 17:
        sys.exit(f"--config-settings glibc={version}: allowed: 2.17 or later, for which Rust builds")
    return version


def check_tools() -> None:
    """Ends the build by name where something is missing that builds libelf: Cargo would say so after minutes."""
    tools = {"autoreconf": "autoconf, automake", "autopoint": "autopoint", "flex": "flex", "bison": "bison",
             "gawk": "gawk", "pkg-config": "pkg-config", "make": "make"}  # fmt: skip
    if missing := [package for name, package in tools.items() if shutil.which(name) is None]:
        sys.exit(f"to build libelf, this machine lacks {', '.join(missing)} (packages of Debian and Ubuntu)")


def licences_of_linked() -> dict[str, bytes]:
    """The licences of what the binaries link statically where they load schedulers into the kernel.

    Nothing has to be found when the binaries run: a wheel has no way to ask for a library of the system. libelf and
    zlib are built from the sources in the crate `libbpf-sys`, since the system's libelf.a goes into programs, but not
    into `libschedlab.so`. libelf (of elfutils) is under the LGPL, version 3, or the GPL, version 2. Its sources are
    public, and so is this repository, by which anyone links the binaries with another libelf.
    """
    command = [os.environ.get("CARGO", "cargo"), "metadata", "--format-version", "1", "--locked"]
    command += ["--features", "schedlab-scx/kernel"]
    said = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    [libbpf] = [package for package in json.loads(said)["packages"] if package["name"] == "libbpf-sys"]
    folder = Path(libbpf["manifest_path"]).parent
    texts = {
        "elfutils.COPYING": folder / "elfutils" / "COPYING",
        "elfutils.COPYING-LGPLV3": folder / "elfutils" / "COPYING-LGPLV3",
        "elfutils.COPYING-GPLV2": folder / "elfutils" / "COPYING-GPLV2",
        "libbpf.LICENSE.BSD-2-Clause": folder / "libbpf" / "LICENSE.BSD-2-Clause",
        "zlib.LICENSE": folder / "zlib" / "LICENSE",
    }
    return {f"schedlab/_bin/licences/{name}": path.read_bytes() for name, path in texts.items()}


def cargo_build(*packages: str, features: Sequence[str] = (), glibc: str | None = None) -> dict[str, Path]:
    """What Cargo built of `packages` for installation with `features`, by the names of the files.

    With `glibc`, the binaries go with that version and later ones: zig links them.
    """
    chosen = [option for package in packages for option in ("--package", package)]
    chosen += [option for feature in features for option in ("--features", feature)]
    start = [os.environ.get("CARGO", "cargo"), "build"]
    if glibc is not None:
        # It finds zig as a module of Python.
        os.environ.setdefault("CARGO_ZIGBUILD_PYTHON_PATH", sys.executable)
        start = [program("cargo-zigbuild"), "zigbuild", "--target", f"{platform.machine()}-unknown-linux-gnu.{glibc}"]
    command = [*start, "--locked", "--profile", "dist", *chosen]
    command += ["--message-format", "json-render-diagnostics"]
    said = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    messages = (json.loads(line) for line in said.splitlines())
    made = (message["filenames"] for message in messages if message["reason"] == "compiler-artifact")
    return {Path(name).name: Path(name) for names in made for name in names}


def package() -> Iterator[tuple[str, bytes]]:
    """The Python package without what was built in this checkout; `_studies` and `_examples` are links."""
    for folder, folders, names in os.walk(PACKAGE, followlinks=True):
        folders[:] = sorted(set(folders) - {"__pycache__", "_bin"})
        for name in sorted(names):
            path = Path(folder) / name
            if path.suffix != ".so":
                yield f"schedlab/{path.relative_to(PACKAGE).as_posix()}", path.read_bytes()


def sources() -> Iterator[tuple[str, bytes]]:
    """The sources of the crates: what `schedlab new` makes builds against them."""
    for name in ("Cargo.toml", "Cargo.lock"):
        yield f"schedlab/_sources/{name}", (ROOT / name).read_bytes()
    for crate in sorted((ROOT / "crates").iterdir()):
        place = f"schedlab/_sources/crates/{crate.name}"
        yield f"{place}/Cargo.toml", library_only((crate / "Cargo.toml").read_text(encoding="utf-8")).encode()
        for path in sorted((crate / "src").rglob("*")):
            if path.is_file():
                yield f"{place}/{path.relative_to(crate).as_posix()}", path.read_bytes()


def library_only(manifest: str) -> str:
    """A crate's manifest without its tests and benchmarks: Cargo would look for their files."""
    tables = re.split(r"^(?=\[)", manifest, flags=re.MULTILINE)
    return "".join(table for table in tables if not table.startswith(("[[test]]", "[[bench]]", "[dev-dependencies]")))


def for_c(*libraries: Path) -> Iterator[tuple[str, bytes]]:
    """The header, the libraries, and the files that tell pkg-config of them."""
    yield "include/schedlab.h", (CAPI / "include" / "schedlab.h").read_bytes()
    for library in libraries:
        yield f"lib/{library.name}", library.read_bytes()
        name = PKG_CONFIG[library.name]
        text = (CAPI / "pkgconfig" / f"{name}.in").read_text(encoding="utf-8")
        yield f"lib/pkgconfig/{name}", text.replace("@VERSION@", VERSION).encode()


def install_c(prefix: Path) -> None:
    """Builds the C libraries, the dynamic and the static one, and puts them below `prefix`."""
    built = cargo_build("schedlab-capi")
    for name, content in for_c(built["libschedlab.so"], built["libschedlab.a"]):
        path = prefix / name
        path.parent.mkdir(parents=True, exist_ok=True)
        # Programs that run have the library mapped: it is replaced, never written into.
        path.with_name(f"{path.name}.part").write_bytes(content)
        shutil.move(path.with_name(f"{path.name}.part"), path)
        print(path)


if __name__ == "__main__":
    try:
        install_c(Path(sys.argv[1]))
    except subprocess.CalledProcessError as error:
        sys.exit(f"tools/build_package.py: {' '.join(map(str, error.cmd))} failed")
