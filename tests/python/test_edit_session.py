"""The history of a bench, and its file: undo, redo, gestures, saving, a file that others change."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from schedlab.edit.session import MOST_STEPS, Conflict, Session, Step
from schedlab.errors import Failed


def form(text: str) -> dict[str, str]:
    return {"text": text}


def begun(path: Path, text: str | None = "a") -> Session:
    if text is not None:
        path.write_text(text)
    return Session(path, [Step(form(text or "a"))], None if text is None else text.encode())


def test_changes_are_undone_and_redone(tmp_path: Path) -> None:
    session = begun(tmp_path / "a.toml")
    session.change(form("b"), "first")
    session.change(form("c"), "second")
    told = session.told()
    assert (told["text"], told["undo"], told["redo"]) == ("c", "second", None)
    session.undo()
    session.undo()
    session.undo()
    told = session.told()
    assert (told["text"], told["undo"], told["redo"]) == ("a", None, "first")
    session.redo()
    assert session.step.text == "b"
    session.change(form("d"), "third")
    session.redo()
    assert session.step.text == "d", "what was undone is gone after a change"
    session.undo()
    assert session.step.text == "b"


def test_each_state_has_a_version_of_its_own(tmp_path: Path) -> None:
    session = begun(tmp_path / "a.toml")
    seen = [session.version]
    for act in (lambda: session.change(form("b"), "x"), session.undo, session.redo):
        act()
        seen.append(session.version)
    assert len(set(seen)) == 4
    session.expect(seen[-1])
    for old in (*seen[:-1], None, "4"):
        with pytest.raises(Conflict, match="another window"):
            session.expect(old)
    session.change(form("b"), "nothing new")
    session.expect(seen[-1])


def test_a_gesture_is_one_step_until_it_is_saved(tmp_path: Path) -> None:
    session = begun(tmp_path / "a.toml")
    for text in "bcd":
        session.change(form(text), "cost", "keys")
    session.change(form("e"), "cost", "other keys")
    session.undo()
    assert session.step.text == "d"
    session.undo()
    assert session.step.text == "a"
    session.redo()
    session.save()
    session.change(form("f"), "cost", "keys")
    session.undo()
    assert session.step.text == "d" and session.is_saved


def test_the_history_is_not_endless(tmp_path: Path) -> None:
    session = begun(tmp_path / "a.toml")
    for number in range(MOST_STEPS + 50):
        session.change(form(str(number)), "x")
    assert len(session.steps) == MOST_STEPS and session.step.text == str(MOST_STEPS + 49)


def test_saving_writes_the_file_and_nothing_beside_it(tmp_path: Path) -> None:
    session = begun(tmp_path / "a.toml")
    assert session.is_saved
    session.change(form("ä"), "x")
    assert not session.is_saved and session.path.read_text() == "a"
    session.save()
    assert session.is_saved and session.path.read_bytes() == "ä".encode()
    assert list(tmp_path.iterdir()) == [session.path]


def test_a_file_that_others_changed_is_not_written_silently(tmp_path: Path) -> None:
    session = begun(tmp_path / "a.toml")
    session.change(form("b"), "x")
    session.path.write_text("theirs")
    with pytest.raises(Conflict, match="was changed by another program and was not written"):
        session.save()
    assert session.path.read_text() == "theirs"
    session.save(over=True)
    assert session.path.read_text() == "b"
    session.path.unlink()
    with pytest.raises(Conflict, match="not there any more"):
        session.save()
    session.save(over=True)
    session.path.write_text("theirs")
    session.was_read(b"theirs", form("theirs"))
    assert session.is_saved and session.told()["undo"] == "read a.toml"
    session.undo()
    assert session.step.text == "b" and not session.is_saved


def test_a_new_file_does_not_replace_one_that_is_there(tmp_path: Path) -> None:
    session = begun(tmp_path / "a.toml", None)
    assert not session.is_saved
    session.path.write_text("theirs")
    with pytest.raises(Conflict, match="is there already"):
        session.save()
    session.path.unlink()
    session.save()
    assert session.path.read_text() == "a" and session.is_saved


def test_a_file_that_became_a_folder_is_told(tmp_path: Path) -> None:
    session = begun(tmp_path / "a.toml")
    session.path.unlink()
    session.path.mkdir()
    with pytest.raises(Failed, match="cannot be read"):
        session.save()


def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    session = begun(tmp_path / "in/a.toml")
    session.path.unlink()
    session.path.parent.rmdir()
    with pytest.raises(Failed, match="there is no folder"):
        session.save(over=True)


def test_what_saving_costs_is_told_until_it_is_paid(tmp_path: Path) -> None:
    session = begun(tmp_path / "a.toml")
    session.change(form("b") | {"notice": "written anew"}, "x")
    session.change(form("c") | {"notice": ""}, "y")
    assert session.told()["notice"] == "written anew"
    session.save()
    assert session.told()["notice"] == ""
    session.change(form("d") | {"notice": ""}, "z")
    assert session.told()["notice"] == ""


def test_a_content_that_was_read_in_another_form_is_not_saved(tmp_path: Path) -> None:
    session = begun(tmp_path / "a.toml")
    session.path.write_text("a table")
    session.was_read(b"a table", form("a canonical text"))
    assert not session.is_saved


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_saving_keeps_mode_and_owner(tmp_path: Path, mode: int) -> None:
    session = begun(tmp_path / "a.toml")
    session.path.chmod(mode)
    owner = (65534, 65534) if os.getuid() == 0 else (os.getuid(), os.getgid())
    os.chown(session.path, *owner)
    session.change(form("b"), "x")
    session.save()
    found = session.path.stat()
    assert (found.st_mode & 0o777, found.st_uid, found.st_gid) == (mode, *owner)
    assert session.path.read_text() == "b" and list(tmp_path.iterdir()) == [session.path]
