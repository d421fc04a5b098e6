"""The live bench: a scenario that is changed in a browser, and what follows from it at once."""
