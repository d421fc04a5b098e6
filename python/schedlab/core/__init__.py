"""Scenarios, schedules and analyses: values, and the questions that they answer. Pictures are made elsewhere."""
