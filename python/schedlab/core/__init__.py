"""Scenarios, schedules and analyses: values, and the questions that they answer. No picture is known here."""
