"""Common parts of commands: their options, and the look of answers in a terminal."""
