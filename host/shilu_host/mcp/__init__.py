"""The Model Context Protocol: one protocol module for standard input/output and for HTTP."""
