"""Plots for papers, at the place from which documents and studies import them; `schedlab.show.plots` has the code."""

from schedlab.show.plots import *  # noqa: F403 - all that is public there, and no more
