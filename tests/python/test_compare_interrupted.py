"""An interrupted comparison says which traces it has left."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from schedlab.cli import compare as command
from schedlab.cli.main import main

EXAMPLE = Path(__file__).parents[2] / "examples" / "avionics.toml"


def test_traces_without_a_page_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: Any, keep: Any, **__: Any) -> None:
        keep("P-EDF", Kept())
        raise KeyboardInterrupt

    class Kept:
        def write(self, path: Path) -> None:
            path.write_bytes(b"")

    monkeypatch.setattr(command, "compare", interrupted)
    assert main(["compare", str(EXAMPLE), "-o", str(tmp_path / "out")]) == 130
    told = f"new and whole in {tmp_path / 'out'}: P-EDF.trace; no page was written of them"
    assert told in capsys.readouterr().err
