"""Parameters of studies, which `--set` changes: their defaults, units and what is allowed; and the values of a run."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast

from schedlab.core.workload import generate
from schedlab.errors import BadInput, no_such
from schedlab.studies.errors import StudyError
from schedlab.studies.values import Scalar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

#: Number of values of a list that are shown; of a longer list, the first and the last.
_SHOWN = 4
#: Largest length of the name of a folder that spells values; longer ones are known by a hash.
_SPELLED = 60


@dataclass(frozen=True)
class Parameter(Generic[T_co]):
    """A number, word, text or list that a study's experiment depends on, and that `--set NAME=VALUE` may change.

    ``default`` is the source's value, and its type is that of all values; values of a list are separated by commas.
    Numbers are from ``low`` to ``high``, words one of ``choices``, and truths are true or false. ``check`` raises
    `BadInput` for a text that is not allowed, and ``form`` says which texts are.
    """

    name: str
    default: T_co
    about: str
    unit: str = ""
    low: float | None = None
    high: float | None = None
    choices: Sequence[Scalar] | None = None
    check: Callable[[str], object] | None = None
    form: str = ""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", self.name):
            raise StudyError(f'parameter "{self.name}": allowed names: small letters, digits and _')
        if wrong := self._wrong():
            raise StudyError(f'parameter "{self.name}": {wrong}')

    def _wrong(self) -> str:
        """Says why there can be no such parameter; empty if nothing is wrong."""
        if self.default == ():
            return "the default is an empty list; allowed: at least one value, whose type is that of all"
        defaults: tuple[Any, ...] = self.default if isinstance(self.default, tuple) else (self.default,)
        if self.choices is not None:
            if not self.choices:
                return "no choices; allowed: at least one, or none stated"
            outside = next((one for one in defaults if one not in self.choices), None)
        elif self._is_truth or not isinstance(self._one, (int, float)):
            return ""
        elif self.low is None or self.high is None:
            return "numbers need a range (low, high)"
        elif not self.low <= self.high:
            return f"low is {self.low}, above high ({self.high})"
        else:
            low, high = self.low, self.high
            outside = next((one for one in defaults if not low <= one <= high), None)
        return "" if outside is None else f"the default {outside!r} is not allowed; allowed: {self.allowed}"

    @property
    def _is_truth(self) -> bool:
        """True if values are true or false."""
        return self.choices is None and isinstance(self._one, bool)

    @property
    def _one(self) -> Any:
        """The default, or the first value of the default list."""
        return self.default[0] if isinstance(self.default, tuple) else self.default

    @property
    def allowed(self) -> str:
        """What values may be, in words."""
        if self.choices:
            one = ", ".join(map(str, self.choices))
        elif self._is_truth:
            one = "true or false"
        elif isinstance(self._one, str):
            one = self.form or "a text"
        else:
            kind = "whole numbers" if isinstance(self._one, int) else "numbers"
            one = f"{kind} from {self.low:g} to {self.high:g}"
        if self.unit:
            one += f" {self.unit}"
        return f"{one}; several, with commas between" if isinstance(self.default, tuple) else one

    def read(self, text: str) -> T_co:
        """Returns the value that ``text`` states; raises `StudyError` with what is allowed."""
        if not isinstance(self.default, tuple):
            return cast("T_co", self._read(text.strip()))
        values = [self._read(one.strip()) for one in text.split(",")]
        if len(set(values)) < len(values):
            raise self._refused(text, "a value is there twice")
        return cast("T_co", tuple(values))

    def _read(self, text: str) -> Scalar:
        if self._is_truth:
            if text.lower() not in ("true", "false"):
                raise self._refused(text)
            return text.lower() == "true"
        if self.choices:
            found = next((one for one in self.choices if str(one) == text), None)
            if found is None:
                raise self._refused(text)
            return found
        if isinstance(self._one, str):
            try:
                if self.check is not None:
                    self.check(text)
            except BadInput as error:
                raise self._refused(text, str(error)) from error
            return text
        try:
            number = type(self._one)(text)
        except ValueError:
            raise self._refused(text) from None
        assert self.low is not None and self.high is not None, "numbers have a range"
        # Not a number (NaN) is in no range.
        if not self.low <= number <= self.high:
            raise self._refused(text)
        return cast("Scalar", number)

    def _refused(self, text: str, why: str = "") -> StudyError:
        reason = f" ({why})" if why else ""
        return StudyError(f"{self.name} is {text!r}{reason}; allowed: {self.allowed}")

    def shown(self, value: object) -> str:
        """Returns a value with its unit, for people."""
        unit = f" {self.unit}" if self.unit else ""
        if not isinstance(value, tuple):
            return f"{value}{unit}"
        few = value if len(value) <= _SHOWN else (*value[:2], "...", value[-1])
        return ", ".join(map(str, few)) + unit


@dataclass(frozen=True)
class Settings:
    """The values of parameters in a run: those that ``changed``, by name; all others have their defaults."""

    changed: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, parameter: Parameter[T]) -> T:
        return cast("T", self.changed.get(parameter.name, parameter.default))

    @property
    def folder(self) -> str:
        """A part of a folder's name that tells these values from others; empty if nothing was changed."""
        if not self.changed:
            return ""
        spelled = ",".join(f"{name}={_spelled(value)}" for name, value in sorted(self.changed.items()))
        plain = re.sub(r"[^A-Za-z0-9=.,_+-]", "_", spelled)
        if plain != spelled or len(plain) > _SPELLED:
            plain = f"{plain[:_SPELLED]}-{hashlib.sha256(spelled.encode()).hexdigest()[:8]}"
        return f",{plain}"

    def told(self) -> dict[str, Any]:
        """Returns the changed values as JSON has them."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in self.changed.items()}

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Settings:
        """Makes the settings that `told` describes."""
        return cls({name: tuple(value) if isinstance(value, list) else value for name, value in told.items()})


def _spelled(value: object) -> str:
    return "+".join(map(str, value)) if isinstance(value, tuple) else str(value)


def read_settings(study: str, parameters: Sequence[Parameter[Any]], texts: Mapping[str, str]) -> Settings:
    """Returns the settings that ``texts`` state by name; raises for unknown names and values that are not allowed."""
    known = {one.name: one for one in parameters}
    changed = {}
    for name, text in texts.items():
        if not known:
            raise StudyError(f"study {study!r} has no parameters: --set {name}={text} changes nothing of it")
        if name not in known:
            raise StudyError(f"study {study!r}: {no_such('parameter', name, known)}")
        value = known[name].read(text)
        if value != known[name].default:
            changed[name] = value
    return Settings(changed)


def periods_parameter(default: str, needs: str = "") -> Parameter[str]:
    """Returns the parameter ``periods``: how the generator draws them. ``needs`` says what the study needs of them."""
    return Parameter(
        "periods", default, "how periods are drawn",
        check=lambda text: generate(utilizations="uniform 0.1 0.2", periods=text, stop="tasks 1"),
        form=f"what `schedlab generate --periods` takes, such as {default}{needs and f' ({needs})'}",
    )  # fmt: skip
