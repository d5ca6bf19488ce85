"""Shilu host: what the outside touches: command line, daemon, hooks, MCP, HTTP and the two protocols."""
