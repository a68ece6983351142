# Two commands: `make study` and `make test`. Both make the environment first, if it is missing or out of date.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help env study test unit lint format notebooks site dashboard lock clean

STUDY ?= builtin
EXECUTOR ?= local
CORES ?= $(if $(filter slurm,$(EXECUTOR)),100,2)
SPIDER ?=
RUNS ?= runs
ifneq ($(SPIDER),)
export SPIDER_HOME := $(abspath $(SPIDER))
endif
# One thread a process: two runs side by side finish sooner than one run with two threads.
export OMP_NUM_THREADS := 1
BIN := .venv/bin

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  e.g. make study STUDY=spider SPIDER=/path/to/spider CORES=2"

env: ## Make the environment .venv from requirements.lock (PYTHON=... chooses the interpreter)
	@PYTHON="$(PYTHON)" scripts/env.sh

study: env ## Run a whole study: data, models, notebooks, tables, figures, report (STUDY=builtin|spider, CORES=2, EXECUTOR=local|slurm)
	@exec $(BIN)/python -m lib.leash $$PPID $(BIN)/spidercompose study $(STUDY) --executor $(EXECUTOR) --cores $(CORES)

test: lint ## Run every check and test, notebooks included
	@$(BIN)/pytest -q -n 2 --dist loadgroup
	@grep -l NBVAL_CHECK_OUTPUT notebooks/*.ipynb | xargs -r $(BIN)/pytest -q --nbval-lax --nbval-current-env -p no:cacheprovider

unit: env ## Run the quick tests only
	@$(BIN)/pytest -q -n 2 --dist loadgroup -m "not slow" tests/unit lib

lint: env ## Check style, names and format
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet . || { echo "run 'make format'" >&2; exit 1; }

format: env ## Put all code in the agreed format
	@$(BIN)/ruff check --quiet --fix . && $(BIN)/ruff format --quiet .

notebooks: env ## Run the built-in study and store its notebooks, normalised, in notebooks/
	@exec $(BIN)/python -m lib.leash $$PPID $(BIN)/spidercompose study builtin --cores $(CORES) --store-notebooks

site: env ## Write the HTML report again from what is there (site/index.html)
	@$(BIN)/spidercompose study $(STUDY) --report

dashboard: env ## Look at runs of the SQL evaluator in a browser (RUNS=runs)
	@exec $(BIN)/python -m streamlit run lib/accuracy/dashboard/app.py --server.address localhost \
	  --server.showEmailPrompt false --client.toolbarMode minimal --browser.gatherUsageStats false -- --runs "$(RUNS)"

lock: ## Make requirements.lock anew from the bounds in pyproject.toml, in a clean environment
	@scripts/lock.sh

clean: ## Remove what a study made (models, data, report), but not the environment nor committed results
	@rm -rf build runs site .snakemake .pytest_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
