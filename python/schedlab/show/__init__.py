"""Presentation of values: tables for notebooks, pictures, plots for papers, and pages."""
