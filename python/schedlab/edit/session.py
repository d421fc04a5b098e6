"""The state of a bench: a scenario's text with its history, and what is known of the file. Nothing here computes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from schedlab.base.files import write_whole
from schedlab.errors import Failed, SchedlabError

#: Largest number of steps that can be undone.
MOST_STEPS = 500


class Conflict(SchedlabError):
    """The page or the file is not at the state that a request was about."""

    exit_status = 2


@dataclass(frozen=True)
class Step:
    """A state of the scenario."""

    #: The form, with the text: see `schedlab.edit.form`.
    form: dict[str, Any]
    #: What was changed to come here, such as "cost of control"; empty at the beginning.
    label: str = ""
    #: Changes of one gesture, such as presses of an arrow key, are one step.
    gesture: str | None = None

    @property
    def text(self) -> str:
        """The scenario's text."""
        text: str = self.form["text"]
        return text

    @property
    def notice(self) -> str:
        """What saving the text costs, such as the comments; empty if nothing."""
        notice: str = self.form.get("notice", "")
        return notice


@dataclass
class Session:
    """A scenario that is changed, from the file `path`, which is written only when that is asked for."""

    path: Path
    steps: list[Step]
    #: Content of the file as it was read or written last; None if it was not there.
    on_disk: bytes | None
    #: Index of the present step.
    now: int = 0
    #: Number of the present state: each change has a new one, also undoing.
    version: int = 1

    @property
    def step(self) -> Step:
        """The present step."""
        return self.steps[self.now]

    @property
    def is_saved(self) -> bool:
        """True if the file has what the page shows."""
        return self.step.text.encode() == self.on_disk

    def expect(self, version: Any) -> None:
        """Raises `Conflict` if the page does not show the present state."""
        if version != self.version:
            raise Conflict("the scenario was changed in another window: it is shown now as it is")

    def change(self, form: dict[str, Any], label: str, gesture: str | None = None) -> None:
        """Goes on to a new state; what was undone is gone."""
        if form["text"] == self.step.text:
            return
        if self.step.notice and not form.get("notice") and not self.is_saved:
            # What saving costs is told until it is paid.
            form = form | {"notice": self.step.notice}
        self._adds(form, label, gesture)

    def _adds(self, form: dict[str, Any], label: str, gesture: str | None) -> None:
        del self.steps[self.now + 1 :]
        step = Step(form, label, gesture)
        if gesture is not None and self.step.gesture == gesture:
            self.steps[self.now] = step
        else:
            self.steps.append(step)
            del self.steps[: max(0, len(self.steps) - MOST_STEPS)]
        self._goes_to(len(self.steps) - 1)

    def undo(self) -> None:
        """Goes back a step, if there is one."""
        if self.now > 0:
            self._goes_to(self.now - 1)

    def redo(self) -> None:
        """Goes forward a step that was undone, if there is one."""
        if self.now + 1 < len(self.steps):
            self._goes_to(self.now + 1)

    def _goes_to(self, number: int) -> None:
        self.now = number
        self.version += 1

    def content(self) -> bytes | None:
        """Returns the content of the file; None if it is not there. Raises `Failed` if it cannot be read."""
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Failed(f"{self.path}: cannot be read: {error.strerror}") from error

    def save(self, *, over: bool = False) -> None:
        """Writes the file, whole or not at all.

        Raises `Conflict` if the file changed since it was read or written here, unless it is to be written `over`.
        """
        found = self.content()
        if found != self.on_disk and not over:
            what = "is not there any more" if found is None else "was changed by another program"
            what = "is there already" if self.on_disk is None else what
            raise Conflict(f"{self.path} {what} and was not written: overwrite it, or read it")
        written = self.step.text.encode()
        write_whole(self.path, written)
        self.on_disk = written
        # A later press of a key is a step of its own, so that undoing comes back to what was saved.
        self.steps[self.now] = replace(self.step, gesture=None, form=self.step.form | {"notice": ""})

    def was_read(self, content: bytes, form: dict[str, Any]) -> None:
        """Takes the file's content as a new step."""
        if form["text"] != self.step.text:
            self._adds(form, f"read {self.path.name}", None)
        self.on_disk = content

    def told(self) -> dict[str, Any]:
        """Returns the state for the page."""
        after = self.steps[self.now + 1 :]
        return {
            **self.step.form,
            "version": self.version,
            "file": str(self.path),
            "is_saved": self.is_saved,
            "undo": self.step.label if self.now else None,
            "redo": after[0].label if after else None,
        }
