"""Styles of papers, at the place from which studies import them; `schedlab.show.plots.paper` has the code."""

from schedlab.show.plots.paper import *  # noqa: F403 - all that is public there
