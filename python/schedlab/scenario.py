"""Scenarios, at the place where documents and studies import them from; `schedlab.core.scenario` has the code."""

from schedlab.core.scenario import OtherSettings, Scenario, Schedulers, Settings, expect_scenario, listed, plain_seed

__all__ = ["OtherSettings", "Scenario", "Schedulers", "Settings", "expect_scenario", "listed", "plain_seed"]
