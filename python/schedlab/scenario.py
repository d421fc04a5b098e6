"""Scenarios, at the place from which documents and studies import them; `schedlab.core.scenario` has the code."""

from schedlab.core.scenario import OtherSettings, Scenario, Schedulers, Settings, expect_scenario, listed, plain_seed

__all__ = ["OtherSettings", "Scenario", "Schedulers", "Settings", "expect_scenario", "listed", "plain_seed"]
