"""What can go wrong with a study, apart from a defect in schedlab itself."""

from __future__ import annotations

from schedlab.errors import BadInput, Failed, SchedlabError


class StudyError(BadInput):
    """Bad input: an unknown name, a broken study file, results that do not fit. Exit status 2."""


class StudyCodeFailed(StudyError, Failed):
    """The study's own code raised an exception. Exit status 4."""


class StudyInterrupted(SchedlabError):
    """The user stopped the run. Whatever was finished is stored; the message says how to resume."""
