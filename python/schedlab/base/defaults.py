"""Defaults of scenarios, by the names that the library gives."""

from schedlab import _native

_NAMES = _native.defaults()

#: The scheduler of a scenario that names none.
SCHEDULER = _NAMES["scheduler"]
#: The locking protocol of a scenario that names none: no protocol at all.
NO_PROTOCOL = _NAMES["protocol"]
#: The overheads of a scenario that names none: no overheads at all.
NO_OVERHEADS = _NAMES["overheads"]
#: The rule for accesses of task sets that share nothing.
NO_ACCESSES = _NAMES["accesses"]
#: The rule for utilities of tasks that state none.
NO_UTILITY = _NAMES["utility"]
