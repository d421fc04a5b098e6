"""Errors of studies, apart from defects in schedlab itself."""

from __future__ import annotations

from schedlab.errors import BadInput, Failed, SchedlabError


class StudyError(BadInput):
    """Bad input: an unknown name, a broken study file, results that do not fit. Exit status 2."""


class ResultsKept(StudyError):
    """Results of more sets are stored where those of fewer would be written. Exit status 2."""


class Damaged(StudyError):
    """A stored file that cannot be used: cut short, or written by another version. The message says what to do."""


class StudyCodeFailed(StudyError, Failed):
    """The study's own code raised an exception. Exit status 4."""

    exit_status = Failed.exit_status


class StudyInterrupted(SchedlabError):
    """The user stopped the run. Whatever was finished is stored; the message says how to resume."""

    exit_status = 130


def first_line(error: Exception) -> str:
    """Returns the first line of an error; those of libraries go on with where it was raised."""
    return str(error).partition("\n")[0].rstrip(".")
