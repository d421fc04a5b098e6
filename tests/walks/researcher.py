"""The PhD student's afternoon: a scheduler of one's own beside the published ones, in Python and in Rust; a study."""

from walk import Walk

OWN_SCHEDULER = '''
import schedlab


class MyEDZL(schedlab.Policy):
    """EDF, but jobs that would be late unless they start now come first."""

    def decide(self, now: int, jobs: schedlab.Jobs, out: schedlab.Decisions) -> None:
        ready = sorted(jobs.ready(), key=lambda job: (job.laxity_ns(now) > 0, job.absolute_deadline_ns, job.id))
        out.run(ready)
        # A waiting job's laxity shrinks with time: look again when the first one's is gone.
        left = [job.laxity_ns(now) for job in ready[len(self.cpus) :] if job.laxity_ns(now) > 0]
        out.timer(0, now + min(left) if left else None)
'''

STUDY = """
import schedlab

for index in range(20):
    made = schedlab.generate(utilizations="uunifast-discard", stop="tasks 6 total 1.8", seed=2**64 - 1, index=index)
    scenario = made.replace(processors=2, horizon="200 ms")
    [row] = schedlab.compare(scenario, schedulers=["G-EDF"])["schedulers"]
    print(row["name"], row["totals"]["misses"])
"""

#: How often MyEDZL misses where G-EDF does, by load: a study of one's own, with a class of the file beside it.
OWN_STUDY = """
import schedlab
from schedlab.studies import Study, grid, judge

from .edzl import MyEDZL


def evaluate(unit):
    misses = {"G-EDF": [], "MyEDZL": []}
    for index in unit.sets:
        made = schedlab.generate(
            utilizations="uunifast-discard", stop=f"tasks 5 total {unit.parameters['total']}", seed=unit.seed,
            index=index, processors=2,
        )
        for row in schedlab.compare(made.replace(horizon="200 ms"), schedulers=["G-EDF", MyEDZL])["schedulers"]:
            misses[row["name"]].append(row["totals"]["misses"])
    return misses


def plot(results, directory):
    return []


def claims(results):
    edzl, edf = (sum(results.table.column(name).to_pylist()) for name in ("MyEDZL", "G-EDF"))
    return [judge("MyEDZL misses no more than G-EDF", edzl <= edf, f"{edzl} and {edf}")]


study = Study(
    name="mine", title="MyEDZL", points=grid(total=[1.6, 1.9]), evaluate=evaluate, plot=plot, claims=claims, sets=4
)
"""

#: What comes out becomes a table of the field's tools.
TABLE = """
import schedlab

from edzl import MyEDZL

jobs = schedlab.simulate(schedlab.Scenario.read("dhall.toml"), scheduler=MyEDZL).jobs
print(jobs.to_arrow().column_names[:3], any(jobs["missed"]))
"""


def afternoon(user: Walk) -> None:
    """An EDZL of one's own in every comparison, in a batch and a study; then the three crates of `schedlab new`."""
    user.step("schedlab example robot dhall")
    user.writes("edzl.py", OWN_SCHEDULER)
    for command in ("compare", "analyze", "advise", "simulate"):
        user.sees(f"schedlab {command} dhall.toml --policy edzl.py:MyEDZL", "MyEDZL")
    user.writes("many.py", STUDY)
    assert user.step("python many.py").count("G-EDF") == 20
    user.sees("schedlab generate -n 5 -u 2.0", "wcet")
    user.sees("schedlab study list", "2006-fig9")
    user.writes("mine.py", OWN_STUDY)
    user.sees("schedlab study run mine.py --sets 4 --out studies", "holds here")
    user.sees("schedlab study run 2006-fig9 --sets 2 --out studies", "2006-fig9")
    user.step("schedlab example sets.jsonl")
    user.sees("schedlab simulate sets.jsonl --jsonl --policy edzl.py:MyEDZL --scheduler G-EDF", '"scheduler":"MyEDZL"')
    user.writes("table.py", TABLE)
    user.sees("python table.py", "['task', 'name', 'job'] False")
    _own(user, "policy", "G-MY-EDF", "schedlab compare robot.toml --schedulers G-EDF,G-MY-EDF")
    _own(user, "protocol", "my-pip", "schedlab simulate robot.toml --scheduler P-RM --protocol my-pip")
    _own(user, "test", "my_test", "schedlab analyze robot.toml --scheduler P-EDF --tests my_test")


def _own(user: Walk, kind: str, name: str, use: str) -> None:
    """What `schedlab new` prints as the next commands, one after the other; then `use`."""
    said = user.sees(f"schedlab new {kind} {name}", "_sources")
    for step in ("test", "install"):
        user.follows(said, step)
    user.sees(use, name)
