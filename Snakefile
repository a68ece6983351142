"""The steps of a study. Started by `spidercompose study NAME` (see lib/study.py), which checks the parameters.

Every step is one `spidercompose` command that writes its files whole or not at all, so that a killed study is simply
started again. Paths are relative to the folder of the study, the repository by default.
"""

import os
import sys
from pathlib import Path

from lib.inputs import DATASETS
from lib.parameters import study_of
from lib.paths import NOTEBOOKS, ROOT
from lib.run_results import NEAREST, baseline_name
from lib.study import Places, corpus_files, notebook_inputs, run_names

study = study_of(config, "the study's parameters")
places = Places(Path("."), study.name)
SETTINGS = f"build/{study.name}/study.yaml"
# A step ends when Snakemake ends, however that ends. The number of Snakemake's process is a variable and not part of the
# command, since a step whose command changes is done again. Under SLURM, the Snakemake that SLURM starts on the node
# reads this file again, so that the number is its own; lib/cluster.py cancels the jobs when the study ends.
os.environ["SPIDERCOMPOSE_PARENT"] = str(os.getpid())
SPIDERCOMPOSE = f"exec {sys.executable} -m lib.leash $SPIDERCOMPOSE_PARENT {sys.executable} -m lib.cli"
RUNS = {key.name: key for key in study.runs()}


def code(*patterns):
    """Modules that a step depends on: when one changes, the step is done again."""
    return sorted(str(path) for pattern in patterns for path in (ROOT / "lib").glob(pattern))


METHOD = code("records.py", "splitting.py", "sql_*.py", "tokens.py", "schemas.py", "corpora.py", "tagging*.py",
              "splicing.py", "alignment*.py", "composition.py", "datasets.py", "partition/*.py")  # fmt: skip
SCORES = code("metrics/**/*.py", "run_results.py")  # a run that is finished is not trained again, but scored
MODELS = code("models/**/*.py", "datasets.py", "sql_*.py", "splitting.py", "tokens.py")


# Resources matter on a cluster only: memory in MB and minutes, with room to spare for the study on Spider. Others are
# given with `spidercompose study NAME --executor slurm --snakemake "--set-resources train:mem_mb=6000 train:runtime=600"`.


def source_of(dataset):
    """The manifest of the dataset that another one is taken from, if it is."""
    source = DATASETS[dataset].source
    return [f"{places.data}/{source}/manifest.json"] if source else []


wildcard_constraints:
    dataset="|".join(DATASETS),
    run="|".join(RUNS),


rule site:
    input:
        expand(f"{places.notebooks}/{{name}}.ipynb", name=study.notebooks),
        code("site.py", "report.py"),
    output:
        f"{places.site}/index.html",
    resources:
        mem_mb=1000,
        runtime=30,
    message:
        "report"
    shell:
        f"{SPIDERCOMPOSE} study {SETTINGS} --out . --report"


rule notebooks:
    input:
        expand(f"{places.notebooks}/{{name}}.ipynb", name=study.notebooks),


rule datasets:
    input:
        expand(f"{places.data}/{{name}}/manifest.json", name=study.datasets),


rule dataset:
    input:
        METHOD,
        SCORES,
        corpus_files(study),
        lambda wildcards: source_of(wildcards.dataset),
    output:
        f"{places.data}/{{dataset}}/manifest.json",
        f"{places.records}/{baseline_name(NEAREST, '{dataset}')}.json",
    params:
        recipe=lambda wildcards: str(DATASETS[wildcards.dataset]),
        corpus=study.corpus,
        aligner=study.aligner,
    resources:
        mem_mb=2000,
        runtime=60,
    message:
        "dataset {wildcards.dataset}"
    shell:
        f"{SPIDERCOMPOSE} study {SETTINGS} --out . --dataset {{wildcards.dataset}}"


rule models:
    input:
        expand(f"{places.records}/{{run}}.json", run=run_names(study)),


rule train:
    input:
        lambda wildcards: f"{places.data}/{RUNS[wildcards.run].dataset}/manifest.json",
        MODELS,
        SCORES,
    output:
        f"{places.runs}/{{run}}/manifest.json",
        f"{places.runs}/{{run}}/scores-test.json",
        f"{places.records}/{{run}}.json",
        f"{places.records}/{{run}}.csv",
    params:
        settings=lambda wildcards: study.settings_of(RUNS[wildcards.run].model, RUNS[wildcards.run].dataset),
    threads: 1  # two runs side by side finish sooner than one with two threads
    resources:
        mem_mb=3000,
        runtime=240,
    priority: lambda wildcards: len(RUNS) - list(RUNS).index(wildcards.run)
    message:
        "model {wildcards.run}"
    shell:
        f"{SPIDERCOMPOSE} study {SETTINGS} --out . --run {{wildcards.run}}"


rule notebook:
    input:
        str(NOTEBOOKS / "{name}.ipynb"),
        code("**/*.py"),
        lambda wildcards: notebook_inputs(study, places, wildcards.name),
    output:
        f"{places.notebooks}/{{name}}.ipynb",
    params:
        study=lambda wildcards: study.as_dict(),
    resources:
        mem_mb=3000,
        runtime=60,
    message:
        "notebook {wildcards.name}"
    shell:
        f"{SPIDERCOMPOSE} study {SETTINGS} --out . --notebook {{wildcards.name}}"
