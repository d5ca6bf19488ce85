"""Adapters: pure converters between foreign memory documents and add inputs (section 13)."""

from shilu_host.protocol.adapters.registry import Adapter, Registry, built_in

__all__ = ["Adapter", "Registry", "built_in"]
