#!/usr/bin/env bash
# Installs the named harnesses (npm and PyPI packages only) under $HARNESS_HOME.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=${HARNESS_HOME:-$HOME/.cache/shilu-harness}
add() { # add FOLDER PACKAGE...
  mkdir -p "$root/$1"; cd "$root/$1"; shift
  [ -f package.json ] || npm init -y >/dev/null
  npm install --no-audit --no-fund --loglevel=error "$@"
}
for name in "${@:-claude}"; do
  case $name in
    node22) add node22 node@22.23.3 ;;   # DSH and Qwen need Node >= 22; the platform package brings bin/node
    pnpm) add pnpm pnpm@10.34.9 ;;       # `dsh plugin ...` forwards to pnpm on PATH
    dsh)
      # 0.1.5-rc.2 cannot be installed (part of its 0.1.5 layer was never published), so 0.1.0-rc.8; plain peer resolution takes
      # over ten minutes, hence --legacy-peer-deps, the peers filled in, and cordis pinned to the versions of that release.
      add dsh @deepseek-ai/dsh@0.1.0-rc.8 --legacy-peer-deps
      node "$here/fill_peers.mjs"
      add dsh --legacy-peer-deps @deepseek-ai/cordis@4.0.1 @deepseek-ai/cordis-plugin-hmr@1.0.16 @deepseek-ai/cordis-plugin-include@1.0.6 \
        @deepseek-ai/cordis-plugin-loader@1.0.2 @deepseek-ai/cordis-plugin-timer@1.1.3 @deepseek-ai/cordis-plugin-group@1.0.1 \
        @deepseek-ai/schemastery@3.18.1 ;;
    oldplugin) add dsh --legacy-peer-deps dsh-unified-agent-memory@0.5.2 ;;  # the published plug-in, beside DSH's own modules
    claude) add claude @anthropic-ai/claude-code@2.1.332 ;;  # name the version: npm on Node 20 picks an older one
    codex) add codex @openai/codex@0.171.0 ;;
    gemini) add gemini @google/gemini-cli@0.61.0 ;;
    qwen) add qwen @qwen-code/qwen-code@0.24.4 ;;
    opencode) add opencode opencode-ai@1.18.33 ;;
    mcp) add mcp @modelcontextprotocol/inspector@2.12.0 @modelcontextprotocol/conformance@0.1.16 ;;
    *) echo "setup.sh: unknown harness $name" >&2; exit 2 ;;
  esac
done
