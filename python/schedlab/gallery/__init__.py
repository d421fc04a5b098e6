"""The gallery: every figure and table of the five papers beside its claims, from stored results alone."""

from schedlab.gallery.claims import claims_by_paper
from schedlab.gallery.papers import Item, Paper, read_papers
from schedlab.gallery.site import write_gallery

__all__ = ["Item", "Paper", "claims_by_paper", "read_papers", "write_gallery"]
