"""The values of parameters: what names a point of a study, and a row of its results."""

Scalar = str | int | float | bool
