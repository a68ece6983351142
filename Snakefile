"""The steps of a study. Started by `spidercompose study NAME` (see lib/study.py), which checks the parameters.

Every step is one `spidercompose` command that writes its files whole or not at all, so that a killed study is simply
started again. Paths are relative to the folder of the study, the repository by default.
"""

import sys
from pathlib import Path

from lib.paths import NOTEBOOKS, ROOT, corpus_dir
from lib.study import DATASETS, Places, notebook_parameters, study_of

study = study_of(config, "the study's parameters")
places = Places(Path("."), study.name)
SETTINGS = f"build/{study.name}/study.yaml"
PYTHON = f"{sys.executable} -m lib.leash {sys.executable} -m"  # ends with Snakemake, however that ends


def sources(*parts):
    """Code that a step depends on: when it changes, the step is done again."""
    return sorted(str(path) for part in parts for path in (ROOT / "lib").glob(part))


METHOD = sources("records.py", "splitting.py", "sql_*.py", "tokens.py", "schemas.py", "corpora.py", "lexicon*.py",
                 "tagging*.py", "splicing.py", "alignment*.py", "composition.py", "datasets.py", "partition/*.py")  # fmt: skip
MODELS = sources("models/**/*.py", "tokens.py", "sql_*.py", "splitting.py")
CORPUS = [str(corpus_dir(study.corpus) / name) for name in ("tables.json",)]
RUNS = [f"{study.model}-{dataset}-{seed}" for dataset in DATASETS for seed in range(1, study.seeds + 1)]


rule all:
    input:
        "site/index.html",


rule datasets:
    input:
        expand(f"{places.data}/{{name}}/manifest.json", name=DATASETS),


rule models:
    input:
        expand(f"{places.runs}/{{run}}/predictions.jsonl", run=RUNS),


rule notebooks:
    input:
        expand(f"{places.notebooks}/{{name}}.ipynb", name=study.notebooks),


rule build:
    input:
        METHOD,
        CORPUS,
    output:
        f"{places.data}/{{variant}}/manifest.json",
    wildcard_constraints:
        variant="paper|clean",
    message:
        "dataset {wildcards.variant}"
    params:
        corpus=study.corpus,
        aligner=study.aligner,
    shell:
        f"{PYTHON} lib.cli build --corpus {{params.corpus}} --variant {{wildcards.variant}}"
        f" --aligner {{params.aligner}} --jobs 1 --out {places.data}/{{wildcards.variant}}"
