"""Run a study: data, models, notebooks, tables, figures and the HTML report. Steps that are up to date are left out.

It can be killed at any time; the same command goes on where it stopped.
"""

import argparse
import os
from pathlib import Path

from lib.cluster import JOBS
from lib.errors import ParameterError
from lib.parameters import load_study, study_names
from lib.paths import ROOT
from lib.study import Places, make_dataset, run_study, run_study_notebook, train_run

STEPS = ("datasets", "models", "notebooks", "site")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of `spidercompose study`."""
    parser.add_argument("study", help=f"{', '.join(study_names())}, or the path of a .yaml file")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="change a parameter of the study"
    )
    parser.add_argument("--out", type=Path, default=ROOT, help="folder for all that it makes (default: the repository)")
    parser.add_argument("--executor", default="local", metavar="NAME",
                        help="where the steps run: local, or slurm for a cluster (default: local)")  # fmt: skip
    parser.add_argument("--cores", type=int, help=f"steps at a time (default: one a core; {JOBS} jobs with slurm)")
    parser.add_argument("--only", choices=STEPS, help="stop after these steps")
    parser.add_argument("--notebook", metavar="NAME", help="run this notebook alone, with the study's parameters")
    parser.add_argument("--dataset", metavar="NAME", help="make this dataset alone, such as paper")
    parser.add_argument("--run", metavar="NAME", help="train and score this run alone, such as bilstm-paper-1")
    parser.add_argument("--report", action="store_true", help="write the HTML report alone, from what is there")
    parser.add_argument("--store-notebooks", action="store_true",
                        help="put the executed notebooks, normalised, into notebooks/ (study builtin)")  # fmt: skip
    parser.add_argument("--snakemake", default="", metavar="OPTIONS",
                        help='options for Snakemake, like --snakemake="--set-resources train:mem_mb=6000"')  # fmt: skip


def run(args: argparse.Namespace) -> None:
    """Runs what was asked for."""
    study = load_study(args.study, dict(map(_change, args.set)))
    places = Places(args.out.resolve(), study.name)
    if args.notebook:
        run_study_notebook(study, places, args.notebook)
    elif args.dataset:
        make_dataset(study, places, args.dataset)
    elif args.run:
        train_run(study, places, args.run)
    elif args.report:
        from lib.site import write_site

        print(f"report: {write_site(args.out)}")
    else:
        cores = _cores(args.executor) if args.cores is None else args.cores
        run_study(study, args.out, cores, [args.only] if args.only else [], args.snakemake, args.executor)
    if args.store_notebooks:
        _store(study, places, [args.notebook] if args.notebook else study.notebooks)


def _cores(executor: str) -> int:
    return JOBS if executor == "slurm" else os.cpu_count() or 1


def _change(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ParameterError(f"--set wants NAME=VALUE, not '{text}'")
    return name, value


def _store(study, places: Places, names: list[str]) -> None:
    from lib.notebooks import store

    if study.name != "builtin":
        raise ParameterError("only the notebooks of study 'builtin' are stored in notebooks/")
    for name in names:
        store(places.notebooks / f"{name}.ipynb")
