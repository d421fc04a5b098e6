"""The student's afternoon: from nothing to a schedule that can be moved in, and why a job was late."""

from walk import Walk


def afternoon(user: Walk) -> None:
    """`examples/robot.toml` under two schedulers: analysed, drawn, explained."""
    user.sees("schedlab --version", "schedlab")
    user.sees("schedlab example --all", "examples")
    user.sees("schedlab analyze examples/robot.toml", "schedulable under G-EDF", "closest: control, 2.5 of 10 ms")
    user.sees("schedlab simulate examples/robot.toml --draw text", "no deadline missed under G-EDF", "control")
    user.step("schedlab simulate examples/robot.toml --out first.svg")
    assert "<svg" in (user.folder / "first.svg").read_text(encoding="utf-8")
    # Dhall's effect: two light tasks make a heavy one late, on two processors.
    user.sees("schedlab simulate examples/dhall.toml --trace dhall.slt", "missed under G-RM")
    user.sees("schedlab check dhall.slt", "holds")
    user.sees("schedlab why dhall.slt", "heavy", "interference by")
    user.step("schedlab trace dhall.slt -o late.svg --around heavy")
    user.step("schedlab view dhall.slt -o dhall.html")
    user.looks("dhall.html", "heavy", "light")
    cured = "--scheduler P-EDF --placement first_fit_decreasing --trace cured.slt"
    user.sees(f"schedlab simulate examples/dhall.toml {cured}", "no deadline missed under P-EDF")
    user.sees("schedlab diff dhall.slt cured.slt", "differ from")
    user.sees("schedlab compare examples/robot.toml --out compared", "schedulers proved to meet all deadlines")
    user.looks("compared/report.html", "G-EDF", "camera", "control")
    user.sees("schedlab windows 3/10", "deadline")
    user.step(
        "python -c \"import schedlab as s; s.simulate(s.Scenario.read('examples/robot.toml')).save('schedule.pdf')\""
    )
    assert (user.folder / "schedule.pdf").read_bytes().startswith(b"%PDF")
