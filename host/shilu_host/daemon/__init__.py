"""The daemon: one process per vault that keeps index and embedder resident and answers hooks, tools and
HTTP."""
