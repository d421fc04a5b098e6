"""Studies: a paper's figure, or a user's own question, as a grid of points that can be killed and resumed.

A study is one Python file that holds a value named ``study``::

    from schedlab.studies import Study, grid

    def evaluate(unit):                      # some sets of one point -> one row per set
        return {"accepted": [test(unit.parameters, unit.set_seed(i)) for i in unit.sets]}

    study = Study(name="mine", title="My question", points=grid(load=[0.5, 0.9]), evaluate=evaluate)

A study that only asks random task sets questions is stated by ``sweep``, without a function.
``schedlab study run mine.py`` runs it in parallel and stores Parquet; ``schedlab study plot mine.py``
draws what is stored.
"""

from schedlab.studies import notebook  # noqa: F401 - it registers how results are shown
from schedlab.studies.catalog import find_study, list_studies, load_study
from schedlab.studies.claims import Claim, Part, does_not_hold, holds, judge, listed, not_evaluated, sentence
from schedlab.studies.errors import StudyError, StudyInterrupted
from schedlab.studies.real import RealStudy, place, processors
from schedlab.studies.results import Results
from schedlab.studies.runner import RunReport, run_study
from schedlab.studies.settings import Parameter, Settings
from schedlab.studies.simulated import Simulated
from schedlab.studies.stored import read_results
from schedlab.studies.study import Point, Study, Unit, grid
from schedlab.studies.sweep import sweep

__all__ = [
    "Claim",
    "Parameter",
    "Part",
    "Point",
    "RealStudy",
    "Results",
    "RunReport",
    "Settings",
    "Simulated",
    "Study",
    "StudyError",
    "StudyInterrupted",
    "Unit",
    "does_not_hold",
    "find_study",
    "grid",
    "holds",
    "judge",
    "list_studies",
    "listed",
    "load_study",
    "not_evaluated",
    "place",
    "processors",
    "read_results",
    "run_study",
    "sentence",
    "sweep",
]
