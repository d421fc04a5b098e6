"""Lines of JSON that come one after the other: task sets and scenarios in, verdicts and simulations out."""
