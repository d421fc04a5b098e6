"""Measured overheads: the lines that `schedlab-rt measure` writes, and the page that shows them."""

from schedlab.measurements.page import write_page
from schedlab.measurements.rows import Measurements, read_measurements

__all__ = ["Measurements", "read_measurements", "write_page"]
