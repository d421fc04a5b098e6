"""The comparison's page: one HTML file that needs nothing else, on a laptop or a phone."""

from schedlab.report.page import write_report

__all__ = ["write_report"]
