"""Conformance: our own cases for any command that speaks the JSON-RPC surface of the two protocols."""
