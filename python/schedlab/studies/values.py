"""The type of parameters, which name a point of a study and a row of its results."""

Scalar = str | int | float | bool
