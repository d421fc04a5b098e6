"""What every other room stands on: files, texts of durations, defaults, and modules that users write."""
