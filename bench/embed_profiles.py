"""Registers the packaged models and writes `core/shilu_core/embed/profiles/`; prints what the probe found.

python bench/embed_profiles.py            # print only
python bench/embed_profiles.py --write
"""

from __future__ import annotations

import argparse

from shilu_core.embed.profile import Profile, probe, to_json
from shilu_core.embed.registered import PACKAGED, profile_name
from shilu_core.embed.scripts import SCRIPTS
from shilu_core.embed.settings import EmbedderSettings
from shilu_core.embed.table import FALLBACKS


def main() -> None:
    from importlib import import_module

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    for name in FALLBACKS:
        encoder = import_module(f"shilu_core.embed.{name}_encoder").make(EmbedderSettings())
        profile = probe(encoder)
        show(name, profile)
        if arguments.write:
            PACKAGED.mkdir(exist_ok=True)
            (PACKAGED / profile_name(encoder)).write_text(to_json(profile), "utf-8")


def show(name: str, profile: Profile) -> None:
    centring = "on" if profile.centred else "off"
    print(f"{name}: votes on {', '.join(sorted(profile.scripts))}; centring {centring}")
    for script in SCRIPTS:
        first, latin, twin = (
            table[script] for table in (profile.accuracy, profile.crossing, profile.twin_rate)
        )
        print(f"  {script:7s} accuracy {first:.2f}  to latin {latin:.2f}  twin first {twin:.2f}")


if __name__ == "__main__":
    main()
