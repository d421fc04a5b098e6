"""The base of all other rooms: files, texts of durations, defaults, and modules that users write."""
