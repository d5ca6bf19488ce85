"""`shilu deploy`: wire agent programs to the memory, and take it out again."""

from __future__ import annotations

import argparse

from shilu_setup import cli

from shilu_host.context import Context


def arguments(parser: argparse.ArgumentParser) -> None:
    cli.add_arguments(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    arguments.lang = arguments.lang or context.language  # the section speaks as the vault does
    return cli.run(arguments)
