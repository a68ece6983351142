"""A study: its steps are in the Snakefile, its results go to `data/results/NAME` and `figures/NAME`."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from lib.cluster import check_executor, job_name, slurm_options, watched
from lib.corpora import open_corpus
from lib.errors import ParameterError, StudyError, suggest
from lib.files import locked, write_text
from lib.inputs import dataset, trained
from lib.metrics.rating_sheets import used_sheets
from lib.notebooks import Value, parameters_of, read_notebook, run_notebook
from lib.parameters import Study, notebook_names
from lib.paths import NOTEBOOKS, ROOT, corpus_dir
from lib.report import FIGURES_VARIABLE, RESULTS_VARIABLE
from lib.run_results import NEAREST, baseline_name, publish_baselines, publish_run


@dataclass(frozen=True, slots=True)
class Places:
    """Where a study keeps its files, below one folder."""

    out: Path  # the repository, unless the study runs elsewhere
    name: str  # of the study

    @property
    def data(self) -> Path:
        """Datasets, one folder each."""
        return self.out / "build" / self.name / "data"

    @property
    def runs(self) -> Path:
        """Trained models, one folder each."""
        return self.out / "runs" / self.name

    @property
    def notebooks(self) -> Path:
        """Executed notebooks."""
        return self.out / "build" / self.name / "notebooks"

    @property
    def results(self) -> Path:
        """Tables."""
        return self.out / "data" / "results" / self.name

    @property
    def records(self) -> Path:
        """Results of single runs, which tables of the comparison are made from."""
        return self.results / "runs"

    @property
    def figures(self) -> Path:
        """Figures."""
        return self.out / "figures" / self.name

    @property
    def logs(self) -> Path:
        """What jobs of a cluster said that did not end well."""
        return self.out / "build" / self.name / "logs"

    @property
    def ratings(self) -> Path:
        """Rating sheets, which no step removes or replaces once people have begun."""
        return self.out / "data" / "ratings" / self.name

    @property
    def site(self) -> Path:
        """The HTML report."""
        return self.out / "site"


def notebook_parameters(study: Study, places: Places, notebook: str) -> dict[str, Value]:
    """The parameters that a study gives to a notebook: those of its own that the notebook declares, and places."""
    declared = parameters_of(read_notebook(NOTEBOOKS / f"{notebook}.ipynb"), notebook)
    model, first = study.models[0], study.datasets[0]
    given = study.as_dict() | {"model": model, "settings": study.settings_of(model, first)}
    given |= {name: " ".join(getattr(study, name)) for name in ("models", "datasets")}
    given["only"] = " ".join(f"{name}:{','.join(datasets)}" for name, datasets in study.only.items())
    given |= {name: _from_root(getattr(places, name)) for name in ("data", "runs", "records", "ratings")}
    return {name: given[name] for name in declared if name in given}


def notebook_inputs(study: Study, places: Places, notebook: str) -> list[str]:
    """The datasets, runs, their results and ratings that a notebook reads, told from the places that it declares."""
    declared = parameters_of(read_notebook(NOTEBOOKS / f"{notebook}.ipynb"), notebook)
    files = []
    if "data" in declared:
        files += [places.data / name / "manifest.json" for name in study.datasets]
    if "runs" in declared:
        files += [places.runs / f"{name}/scores-test.json" for name in run_names(study)]
    if "records" in declared:
        names = [*run_names(study), *(baseline_name(NEAREST, name) for name in study.datasets)]
        files += [places.records / f"{name}.json" for name in names]
    if "ratings" in declared:
        files += used_sheets(places.ratings)  # so that a new rating makes the step run again
    return list(map(str, files))


def run_names(study: Study) -> list[str]:
    """The training runs of a study, those that tell most first."""
    return [key.name for key in study.runs()]


def make_dataset(study: Study, places: Places, name: str) -> Path:
    """Makes one dataset of a study and scores the baselines on it, if that is not done; returns its folder.

    Raises:
        ParameterError: if the study has no such dataset, or the folder holds another one of this name.
        CorpusError: if the corpus is not here.
    """
    if name not in study.datasets:
        raise ParameterError(f"study '{study.name}' has no dataset '{name}': {suggest(name, study.datasets)}")
    made = dataset(places.data, name, study.corpus, study.aligner)
    publish_baselines(made, places.records, open_corpus(study.corpus).schemas)
    return made


def train_run(study: Study, places: Places, name: str) -> Path:
    """Trains and scores one run of a study, or goes on with it, and publishes its result; returns its folder.

    Makes the dataset if need be.

    Raises:
        ParameterError: if the study has no such run.
        ModelError: if training fails.
    """
    keys = {key.name: key for key in study.runs()}
    if name not in keys:
        raise ParameterError(f"study '{study.name}' has no run '{name}': {suggest(name, keys)}")
    key = keys[name]
    data = make_dataset(study, places, key.dataset)
    folder = trained(places.runs, data, key.model, key.seed, study.settings_of(key.model, key.dataset))
    publish_run(folder, data, places.records, open_corpus(study.corpus).schemas)
    return folder


def corpus_files(study: Study) -> list[str]:
    """The files that the datasets of a study are made from."""
    folder = corpus_dir(study.corpus).resolve()
    return sorted(str(path) for path in folder.glob("*.json"))


def _from_root(path: Path) -> str:
    """Relative to the repository where it lies in it, so that notebooks show no path of this machine."""
    path = path.resolve()
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def run_study_notebook(study: Study, places: Places, notebook: str) -> Path:
    """Runs one notebook with the parameters of a study; returns where the executed one is.

    Raises:
        ParameterError: if the study has no such notebook.
        StudyError: if it fails.
    """
    if notebook not in notebook_names():
        raise ParameterError(f"unknown notebook '{notebook}': {suggest(notebook, notebook_names())}")
    environment = {RESULTS_VARIABLE: str(places.results.resolve()), FIGURES_VARIABLE: str(places.figures.resolve())}
    output = places.notebooks / f"{notebook}.ipynb"
    run_notebook(NOTEBOOKS / f"{notebook}.ipynb", output, notebook_parameters(study, places, notebook), environment)
    return output


def run_study(
    study: Study, out: Path, cores: int, targets: Sequence[str] = (), options: str = "", executor: str = "local"
) -> None:
    """Runs the steps of a study that are missing or out of date, with Snakemake.

    A run that was killed leaves nothing half-written and is simply started again. Two runs in one folder take turns.

    Args:
        study: the study.
        out: folder for everything that it makes; the repository by default.
        cores: steps at a time.
        targets: names of rules of the Snakefile; all of them by default.
        options: further options for Snakemake, as on a command line.
        executor: where the steps run, one of cluster.EXECUTORS.

    Raises:
        ParameterError: if cores is below 1, or the executor is unknown.
        StudyError: if a step fails, or the executor is not here.
    """
    import yaml

    if cores < 1:
        raise ParameterError(f"--cores must be at least 1, not {cores}")
    given = shlex.split(options)
    check_executor(executor, given)
    places = Places(out.resolve(), study.name)
    settings = places.data.parent / "study.yaml"
    cluster = slurm_options(places.out, cores, places.logs) if executor == "slurm" else []
    write_text(settings, yaml.safe_dump(study.as_dict(), sort_keys=False))
    command = [
        sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--directory", str(places.out),
        "--configfile", str(settings), "--cores", str(cores), "--nolock", "--rerun-incomplete", "--nocolor",
        *targets, *cluster, *given,
    ]  # fmt: skip
    with (
        locked(places.out / ".snakemake" / "study.lock", _say_waiting) as lock,
        watched(job_name(places.out), lock) if cluster else nullcontext(),
    ):
        _clear_unfinished(places)
        # The lock is handed on: it is free again only when Snakemake too has ended, however it ends.
        code = _shown([sys.executable, "-m", "lib.leash", str(os.getpid()), *command], lock, cwd=ROOT)
    if code:
        _show_logs(places.logs)
        raise StudyError(
            f"a step of study '{study.name}' failed, its words are above; the same command goes on from there"
        )


def _clear_unfinished(places: Places) -> None:
    """Removes what a killed step had begun to write; nobody else writes there while the lock is held."""
    shutil.rmtree(places.logs, ignore_errors=True)
    for folder in (places.out / "build" / places.name, places.runs, places.results, places.figures, places.site):
        for path in sorted(folder.rglob(".*.part")):
            path.unlink(missing_ok=True)


def _say_waiting() -> None:
    print("study: another study is at work in this folder; waiting for its end", file=sys.stderr, flush=True)


# What Snakemake says to its developers rather than to its users.
# Times of day and words of a kernel at its end; may follow a bar without a line end.
_TAIL = re.compile(r"\[(\w{3} \w{3} +\d+ [\d:]+ \d+\]|IPKernelApp\] (WARNING|ERROR \| KeyboardInterrupt)).*")
# The state of a job, or the words of sbatch, which may go on in further lines.
_FAILED_JOB = re.compile(r"\s+message: (SLURM.*?(?:'\.|$)|Job submission failed.*)(\s.*)?$")
_NOISE = re.compile(
    r"\s*$|SNAKEMAKE|=+$|Assuming|Building DAG|Using shell|Provided (cores|resources|remote nodes)"
    r"|Rules claiming|Select jobs|Execute \d|Finished job|Complete log|Elapsed time|Job stats|Config file|host: "
    r"|Nothing to be done|job +count|-+ +-+$|[a-z_0-9]+ +\d+$|Reason: |Shutting down|Exiting because"
    r"|Removing output files|Touching|Unlocking|Error in rule|RuleException|Workflow|Removing temporary"
    r"|SLURM run|No (SLURM )?account|Unable to guess SLURM|Job \d+ has been submitted|Cleaning up SLURM|Storing output"
    r"|localrule|For further error|  +[A-Za-z][\w ()]*: |\s{4,}\S|CalledProcessError|Command 'set|At least one job"
)


def _shown(command: list[str], lock: int, cwd: Path) -> int:
    """Runs a command and passes on what it says, less the noise; returns its exit code."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1, errors="replace",
        env=environment, pass_fds=[lock], cwd=cwd,
    ) as process:  # fmt: skip
        for line in process.stdout:
            _show(line)
    return process.returncode


def _show(line: str) -> None:
    words = _FAILED_JOB.sub(r"study: \1", _TAIL.sub("", line)).rstrip()
    if not _NOISE.match(words):
        print(re.sub(r"^Job \d+: ", "study: ", words), file=sys.stderr, flush=True)


def _show_logs(folder: Path) -> None:
    """Passes on what jobs of a cluster said; the logs of those that ended well are gone."""
    for path in sorted(folder.rglob("*.log")):
        print(f"study: from {path}:", file=sys.stderr, flush=True)
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            _show(line)
