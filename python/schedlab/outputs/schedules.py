"""A simulation's row, where users' programs import it from."""

from schedlab.outputs.results import SimulationRow

__all__ = ["SimulationRow"]
