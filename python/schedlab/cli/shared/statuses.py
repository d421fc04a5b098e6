"""The exit statuses of commands."""

from schedlab.errors import BadInput, CannotRun, Failed

#: Exit statuses; `FOUND` is for --strict and for disagreements of a cross-check. A shell gives the last two to programs
#: that end by a signal: Ctrl-C, or a pipe whose reader is gone.
DONE, FOUND, INTERRUPTED, CLOSED_PIPE = 0, 1, 130, 141
BAD_INPUT, CANNOT_RUN, FAILED = BadInput.exit_status, CannotRun.exit_status, Failed.exit_status
