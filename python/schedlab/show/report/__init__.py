"""Pages: HTML files that need nothing else, on a laptop or a phone."""

from schedlab.show.report.page import write_comparison, write_report
from schedlab.show.report.timelines import write_timelines

__all__ = ["write_comparison", "write_report", "write_timelines"]
