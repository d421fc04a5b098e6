"""Styles of papers, at the place where studies import them from; `schedlab.show.plots.paper` has the code."""

from schedlab.show.plots.paper import *  # noqa: F403 - all that is public there
