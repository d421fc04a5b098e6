"""A user's file of Python as a module: a study, a policy. Exceptions of its code reach the user unchanged."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from schedlab.errors import BadInput, Failed


def loaded(path: Path) -> ModuleType:
    """Returns the file's module, which is executed once a process."""
    name = _name(path)
    return sys.modules[name] if name in sys.modules else load(path)


def load(path: Path) -> ModuleType:
    """Executes the file as a member of a package that stands for its folder: `from . import neighbour` finds others.

    The module is named within that package, so that it hides no other module, whatever the file is called.
    """
    path = path.resolve()
    name = _name(path)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise BadInput(f"{path}: not a Python file")
    package = name.rpartition(".")[0]
    if package not in sys.modules:
        parent = ModuleType(package)
        parent.__path__ = [str(path.parent)]
        sys.modules[package] = parent
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except SystemExit as error:
        del sys.modules[name]
        raise Failed(f"{path}: its code raised SystemExit") from error
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _name(path: Path) -> str:
    folder = hashlib.blake2b(str(path.resolve().parent).encode(), digest_size=6).hexdigest()
    return f"_schedlab_user_{folder}.{path.stem}"
