"""The steps of a study. Started by `spidercompose study NAME` (see lib/study.py), which checks the parameters.

Every step is one `spidercompose` command that writes its files whole or not at all, so that a killed study is simply
started again. Paths are relative to the folder of the study, the repository by default.
"""

import os
import sys
from pathlib import Path

from lib.inputs import DATASETS
from lib.paths import NOTEBOOKS, ROOT
from lib.study import Places, corpus_files, notebook_inputs, run_names, study_of

study = study_of(config, "the study's parameters")
places = Places(Path("."), study.name)
SETTINGS = f"build/{study.name}/study.yaml"
# A step ends when Snakemake ends, however that ends. The number of Snakemake's process is a variable and not part of the
# command, since a step whose command changes is done again. Under SLURM, the Snakemake that SLURM starts on the node
# reads this file again, so that the number is its own; lib/cluster.py cancels the jobs when the study ends.
os.environ["SPIDERCOMPOSE_PARENT"] = str(os.getpid())
SPIDERCOMPOSE = f"exec {sys.executable} -m lib.leash $SPIDERCOMPOSE_PARENT {sys.executable} -m lib.cli"
VARIANTS = {name: recipe["variant"] for name, recipe in DATASETS.items() if "variant" in recipe}
ABLATIONS = {name: recipe["by"] for name, recipe in DATASETS.items() if "by" in recipe}


def code(*patterns):
    """Modules that a step depends on: when one changes, the step is done again."""
    return sorted(str(path) for pattern in patterns for path in (ROOT / "lib").glob(pattern))


METHOD = code("records.py", "splitting.py", "sql_*.py", "tokens.py", "schemas.py", "corpora.py", "tagging*.py",
              "splicing.py", "alignment*.py", "composition.py", "datasets.py", "partition/*.py")  # fmt: skip
MODELS = code("models/**/*.py", "datasets.py", "sql_*.py", "splitting.py", "tokens.py")


# Resources matter on a cluster only: memory in MB and minutes, with room to spare for the study on Spider. Others are
# given with `spidercompose study NAME --executor slurm --snakemake "--set-resources train:mem_mb=6000 train:runtime=600"`.


wildcard_constraints:
    variant="|".join(VARIANTS),
    ablation="|".join(ABLATIONS),
    dataset="|".join(DATASETS),
    seed=r"\d+",


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
        expand(f"{places.data}/{{name}}/manifest.json", name=DATASETS),


rule build:
    input:
        METHOD,
        corpus_files(study),
    output:
        f"{places.data}/{{variant}}/manifest.json",
    params:
        corpus=study.corpus,
        aligner=study.aligner,
    resources:
        mem_mb=2000,
        runtime=60,
    message:
        "dataset {wildcards.variant}"
    shell:
        f"{SPIDERCOMPOSE} build --corpus {{params.corpus:q}} --variant {{wildcards.variant}} --jobs 1"
        f" --aligner {{params.aligner}} --out {places.data}/{{wildcards.variant}} > /dev/null"


rule ablate:
    input:
        f"{places.data}/paper/manifest.json",
        code("partition/ablation.py"),
    output:
        f"{places.data}/{{ablation}}/manifest.json",
    params:
        by=lambda wildcards: ABLATIONS[wildcards.ablation],
    resources:
        mem_mb=1000,
        runtime=30,
    message:
        "dataset {wildcards.ablation}"
    shell:
        f"{SPIDERCOMPOSE} ablate --data {places.data}/paper --by {{params.by}}"
        f" --out {places.data}/{{wildcards.ablation}} > /dev/null"


rule models:
    input:
        expand(f"{places.runs}/{{run}}/scores-test.json", run=run_names(study)),


rule train:
    input:
        f"{places.data}/{{dataset}}/manifest.json",
        MODELS,
    output:
        f"{places.runs}/{{model}}-{{dataset}}-{{seed}}/manifest.json",
        f"{places.runs}/{{model}}-{{dataset}}-{{seed}}/scores-test.json",
    params:
        settings=study.settings,
    threads: 1  # two runs side by side finish sooner than one with two threads
    resources:
        mem_mb=3000,
        runtime=240,
    message:
        "model {wildcards.model} on dataset {wildcards.dataset}, seed {wildcards.seed}"
    shell:
        f"{SPIDERCOMPOSE} study {SETTINGS} --out . --run {{wildcards.model}}-{{wildcards.dataset}}-{{wildcards.seed}}"


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
