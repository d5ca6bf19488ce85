"""Embedders: texts to unit vectors, by a local model as a rule; importing this package loads no model and
no numpy."""

from shilu_core.embed.embedder import Embedder
from shilu_core.embed.settings import EmbedderSettings
from shilu_core.embed.table import Resolution, resolution, resolve

__all__ = ["Embedder", "EmbedderSettings", "Resolution", "resolution", "resolve"]
