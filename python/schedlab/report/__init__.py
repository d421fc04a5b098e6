"""Pages: one HTML file that needs nothing else, on a laptop or a phone."""

from schedlab.report.page import write_comparison, write_report
from schedlab.report.timelines import write_timelines

__all__ = ["write_comparison", "write_report", "write_timelines"]
