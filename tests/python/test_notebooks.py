"""The notebooks of the examples run from top to bottom: cells assert what the prose says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from conftest import ROOT
from schedlab.examples import EXAMPLES, write_examples

NOTEBOOKS = [name for name in EXAMPLES if name.startswith("notebooks/")]

#: Kinds of output of which a reader sees a picture, a table or a widget.
SHOWN = ("text/html", "image/png", "application/vnd.jupyter.widget-view+json")

#: Longest line of code that a page shows without a bar to scroll.
WIDE = 108


@pytest.fixture(autouse=True)
def _plain(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves out what this user has set up for notebooks, such as another kernel of the same name."""
    for name in ("JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(tmp_path_factory.mktemp(name)))


def executed(path: Path) -> Any:
    """Runs a notebook in its folder, and returns it with its outputs."""
    book = nbformat.read(path, 4)
    nbformat.validate(book)
    folder = {"metadata": {"path": str(path.parent)}}
    return NotebookClient(book, timeout=300, resources=folder).execute()


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs_and_shows_its_results(name: str, tmp_path: Path) -> None:
    [path] = write_examples([name], tmp_path)
    cells = executed(path).cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    shown = [out.data for cell in code for out in cell.outputs if out.output_type in ("display_data", "execute_result")]
    assert sum(any(kind in data for kind in SHOWN) for data in shown) >= 8
    # What a cell prints to standard error is a warning that a reader would stumble over.
    assert [out.text for cell in code for out in cell.outputs if out.get("name") == "stderr"] == []
    assert sum("assert" in cell.source for cell in code) >= 7
    assert {file.name for file in tmp_path.iterdir()} == {path.name}


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_is_stored_without_outputs_and_can_be_read(name: str) -> None:
    text = (ROOT / "examples" / name).read_text(encoding="utf-8")
    book = json.loads(text)
    assert text == json.dumps(book, indent=1, ensure_ascii=False) + "\n"
    assert set(book["metadata"]) == {"kernelspec", "language_info"}
    first = book["cells"][0]
    assert first["cell_type"] == "markdown" and first["source"][0].startswith("# ") and "?" in first["source"][0]
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
            assert [line for line in cell["source"] if len(line.rstrip()) > WIDE] == []


def test_a_claim_that_is_wrong_fails(tmp_path: Path) -> None:
    [path] = write_examples(["notebooks/tour.ipynb"], tmp_path)
    book = json.loads(path.read_text(encoding="utf-8"))
    book["cells"] = book["cells"][:4]
    book["cells"][3]["source"].append("\nassert under_rm.metrics().misses == 0")
    path.write_text(json.dumps(book), encoding="utf-8")
    with pytest.raises(Exception, match="AssertionError"):
        executed(path)


def test_the_folder_is_written_by_its_name(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = run("example", "notebooks")
    assert found.status == 0, found.err
    assert found.out.splitlines()[:-1] == NOTEBOOKS
    assert found.out.splitlines()[-1].startswith("next: jupyter lab notebooks/tour.ipynb")
    assert sorted(path.as_posix() for path in Path("notebooks").iterdir()) == sorted(NOTEBOOKS)
    refused = run("example", "notebooks", "--out", "missing")
    assert refused.status == 4 and "there is no folder" in refused.err


def test_without_ipywidgets_the_sliders_say_what_to_install() -> None:
    code = "import sys; sys.modules['ipywidgets'] = None\nimport schedlab\nimport schedlab.widgets"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert found.stderr.splitlines()[-1].endswith("install it: pip install 'schedlab[notebook]'")
