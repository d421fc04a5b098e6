"""Schedulers side by side on one scenario: what is proved, simulated and run for real, as one value."""
