"""What people see of values: tables of notebooks, pictures, plots for papers, and pages."""
