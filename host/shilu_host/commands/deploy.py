"""`shilu deploy`: wire agent programs to the memory, and take it out again."""

from __future__ import annotations

import argparse

from shilu_setup import cli

from shilu_host.context import Context


def arguments(parser: argparse.ArgumentParser) -> None:
    cli.add_arguments(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    return cli.run(arguments)
