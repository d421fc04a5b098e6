"""Folders that one process holds or several share; who looks takes nothing."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from schedlab.store.locks import StoreBusy, exclusive, is_held, sharing


def test_to_look_at_a_folder_takes_nothing(tmp_path: Path) -> None:
    assert not is_held(tmp_path) and not list(tmp_path.iterdir())
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            is_held(tmp_path)

    looking = threading.Thread(target=look)
    looking.start()
    try:
        for _ in range(2000):
            with exclusive(tmp_path):
                pass
    finally:
        done.set()
        looking.join()
    assert not is_held(tmp_path)


def test_a_folder_is_held_by_one_or_shared_by_many(tmp_path: Path) -> None:
    with sharing(tmp_path), sharing(tmp_path):
        assert is_held(tmp_path)
        with pytest.raises(StoreBusy, match=str(os.getpid())), exclusive(tmp_path):
            pass
    with exclusive(tmp_path):
        for other in (exclusive, sharing):
            with pytest.raises(StoreBusy), other(tmp_path):
                pass
    assert not is_held(tmp_path)
