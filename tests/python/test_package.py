"""What the wheel and the sdist hold, without building them; `make test-package` builds them and walks through."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import tarfile
from pathlib import Path
from types import ModuleType

import pytest

import schedlab
from conftest import ROOT
from schedlab.cli.new import scaffold
from schedlab.cli.new.scaffold import new_policy, new_protocol, new_test


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "tools")
    return importlib.import_module("build_package")


@pytest.fixture
def shipped(package: ModuleType, tmp_path: Path) -> Path:
    """A package as pip unpacks it, with the sources that the wheel brings."""
    for name, content in package.sources():
        path = tmp_path / "site-packages" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return tmp_path / "site-packages" / "schedlab"


@pytest.mark.parametrize(
    ("new", "name"),
    [(new_policy, "G-MINE"), (new_protocol, "mine"), (new_test, "mine")],
    ids=["policy", "protocol", "test"],
)
def test_cargo_takes_the_sources_of_the_wheel(new, name, shipped, tmp_path, monkeypatch):
    monkeypatch.setattr(schedlab, "__file__", str(shipped / "__init__.py"))
    made = new(name, out=tmp_path / "mine")
    assert made.library == shipped / "_sources"
    # Cargo reads every manifest that the crate needs, and finds each library's sources.
    manifest = made.folder / "Cargo.toml"
    found = subprocess.run(
        ["cargo", "metadata", "--offline", "--features=python", "--format-version=1", "--manifest-path", manifest],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert str(shipped / "_sources" / "crates" / "native" / "src" / "lib.rs") in found.stdout


def test_a_package_without_sources_asks_for_a_checkout(tmp_path, monkeypatch):
    monkeypatch.setattr(scaffold.schedlab, "__file__", str(tmp_path / "a" / "schedlab" / "__init__.py"))
    with pytest.raises(schedlab.BadInput, match="--library"):
        new_policy("G-MINE", out=tmp_path / "mine")
    assert not (tmp_path / "mine").exists()


def test_the_wheel_has_the_package_studies_and_examples_but_nothing_built_here(package):
    names = {name for name, _ in package.package()}
    assert {"schedlab/py.typed", "schedlab/cli/main.py", "schedlab/templates/profiles.toml"} <= names
    assert {"schedlab/templates/study/study.py.in", "schedlab/_glossary.md"} <= names
    assert dict(package.package())["schedlab/_glossary.md"] == (ROOT / "GLOSSARY.md").read_bytes()
    assert "schedlab/_studies/block-or-not-2008/fig1.py" in names
    assert {"schedlab/_examples/robot.toml", "schedlab/_examples/c/periodic.c"} <= names
    assert not [name for name in names if name.endswith(".so") or "_bin" in name or "__pycache__" in name]


def test_the_sdist_has_all_that_the_wheel_is_built_from(package, tmp_path):
    name = package.build_sdist(str(tmp_path))
    with tarfile.open(tmp_path / name) as archive:
        names = {entry.removeprefix(f"schedlab-{package.VERSION}/") for entry in archive.getnames()}
    crates = {path.parent.relative_to(ROOT).as_posix() for path in ROOT.glob("crates/*/Cargo.toml")}
    assert {f"{crate}/Cargo.toml" for crate in crates} <= names
    assert {
        "PKG-INFO",
        "Cargo.lock",
        "tools/build_package.py",
        "python/schedlab/_studies",
        "python/schedlab/_examples",
        "crates/rt/src/main.rs",
    } <= names
    assert {"crates/capi/include/schedlab.h", "crates/capi/pkgconfig/schedlab.pc.in"} <= names


def test_the_tag_names_the_newest_glibc_that_a_binary_needs(package, tmp_path):
    def tag(*binaries: bytes) -> tuple[str, str]:
        (tmp_path / "WHEEL").write_text("Wheel-Version: 1.0\nTag: cp311-abi3-linux_x86_64\n", encoding="utf-8")
        return package.state_tag(tmp_path, list(binaries)), (tmp_path / "WHEEL").read_text(encoding="utf-8")

    for stated, binaries in (
        ("cp311-abi3-manylinux_2_34_x86_64", (b"..GLIBC_2.2.5\0GLIBC_2.34\0", b"GLIBC_2.9\0")),
        ("cp311-abi3-manylinux_2_17_x86_64", (b"GLIBC_2.2.5\0",)),
        ("cp311-abi3-linux_x86_64", (b"musl",)),
    ):
        assert tag(*binaries) == (stated, f"Wheel-Version: 1.0\nTag: {stated}\n")


def test_settings_of_the_build_are_read_or_refused_by_name(package):
    assert [package.chosen_glibc(given) for given in (None, {}, {"glibc": "2.28"})] == [None, None, "2.28"]
    kernel = [package.chooses_kernel(given) for given in (None, {"kernel": "no"}, {"kernel": "yes"})]
    assert kernel == [False, False, True]
    for version in ("2.16", "2", "3.1", "2.28 "):
        with pytest.raises(SystemExit, match=rf"glibc={version}: allowed: 2\.17 or later"):
            package.chosen_glibc({"glibc": version})
    with pytest.raises(SystemExit, match="kernel=maybe: allowed: yes, no"):
        package.chooses_kernel({"kernel": "maybe"})


@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="pkg-config is not installed")
@pytest.mark.parametrize(
    ("library", "module", "flags"),
    [
        ("libschedlab.so", "schedlab", "-I{0}/include -L{0}/lib -Wl,-rpath,{0}/lib -lschedlab"),
        ("libschedlab.a", "schedlab-static", "-I{0}/include {0}/lib/libschedlab.a -lpthread -lm -ldl"),
    ],
)
def test_pkg_config_gives_the_flags_for_c(package, library, module, flags, tmp_path):
    built = tmp_path / library
    built.touch()
    for name, content in package.for_c(built):
        path = tmp_path / "prefix" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    folder = tmp_path / "prefix" / "lib" / "pkgconfig"
    found = subprocess.run(
        ["pkg-config", "--cflags", "--libs", module],
        capture_output=True, text=True, check=True, env=os.environ | {"PKG_CONFIG_PATH": str(folder)},
    ).stdout  # fmt: skip
    assert found.replace(f"{folder}/../..", "{0}").split() == flags.split()


@pytest.mark.parametrize(
    ("settings", "chosen"), [(None, False), ({}, False), ({"kernel": "no"}, False), ({"kernel": "yes"}, True)]
)
def test_a_wheel_loads_schedulers_into_the_kernel_if_asked(package, settings, chosen):
    assert package.chooses_kernel(settings) is chosen


def test_a_wheel_refuses_other_wishes(package):
    with pytest.raises(SystemExit, match="allowed: yes, no"):
        package.chooses_kernel({"kernel": "maybe"})
