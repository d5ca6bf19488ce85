"""What the judge reaches on labelled cases: accuracy, confusion, and every miss with its reason.

python bench/judge.py                               # the own cases (on which the weights were fitted)
python bench/judge.py --cases FOLDER                # adjudication*.jsonl and batch.jsonl of a folder
python bench/judge.py --cases FOLDER --without-embedder --misses
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import judge_cases
from shilu_core.embed import EmbedderSettings, resolve
from shilu_core.facts import Fact
from shilu_inbox.judge import judge
from shilu_inbox.verdicts import Judgement, Submitted


def facts(texts: Sequence[str]) -> list[Fact]:
    return [Fact(str(at), text, "notes.md", at + 1, at + 2) for at, text in enumerate(texts)]


def submitted(texts: Sequence[str], name: str = "agent-20260101-000000-01.md") -> list[Submitted]:
    return [Submitted(text, name, "", at + 1) for at, text in enumerate(texts)]


def answer(judged: Judgement) -> tuple[str, int | None]:
    return judged.verdict, int(judged.target.id) if judged.target else None


def run_adjudication(cases: Sequence[judge_cases.Case], embedder: object | None, misses: bool) -> None:
    judged = [judge(submitted([case.new]), facts(case.existing), embedder=embedder)[0] for case in cases]
    found = [answer(one) for one in judged]
    print("adjudication ", judge_cases.figures(cases, found))
    print(judge_cases.confusion([case.verdict for case in cases], [verdict for verdict, _ in found]))
    flagged = [any(flag.kind == "low-confidence" for flag in one.flags) for one in judged]
    right = [case.is_right(*said) for case, said in zip(cases, found, strict=True)]
    wrong_flagged = sum(f and not r for f, r in zip(flagged, right, strict=True))
    print(f"low confidence: {wrong_flagged} of {len(right) - sum(right)} misses, "
          f"{sum(flagged) - wrong_flagged} of {sum(right)} right answers")  # fmt: skip
    for case, one, said, is_right in zip(cases, judged, found, right, strict=True):
        if misses and not is_right:
            known = case.existing[case.target if case.target is not None else said[1] or 0]
            print(f"  {case.id}: expected {case.verdict} {case.target}, got {said[0]} {said[1]}", one.confidence)
            print(f"      {case.new}  |  {known}  |  {one.reason}")


def run_batches(folder: Path, embedder: object | None, misses: bool) -> None:
    total = right = 0
    for case in judge_cases.batches(folder):
        lines = [
            (file, line, text) for file, texts in enumerate(case["submissions"]) for line, text in enumerate(texts)
        ]
        batch = [Submitted(text, f"agent-{file}.md", "", line + 1) for file, line, text in lines]
        judged = judge(batch, facts(case["existing"]), embedder=embedder)
        expected = {(one["i"], one["j"]): one for one in case["expect"]}
        for (file, line, text), one in zip(lines, judged, strict=True):
            wanted = expected[file, line]
            against = None
            if one.target:
                against = f"existing:{one.target.id}"
            elif one.earlier is not None:
                against = f"{lines[one.earlier][0]}:{lines[one.earlier][1]}"
            verdicts = [wanted["verdict"], *wanted.get("accept", ())]
            references = [wanted["against"], *wanted.get("accept_against", ())]
            is_right = one.verdict in verdicts and against in references
            total, right = total + 1, right + is_right
            if misses and not is_right:
                place = f"{case['id']} {file}:{line}"
                print(f"  {place}: expected {verdicts} {references}, got {one.verdict} {against}")
                print(f"      {text}  |  {one.reason}")
    if total:
        print(f"batch  {total} lines  right {100 * right / total:.1f} %")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, default=judge_cases.OWN, help="folder with the cases")
    parser.add_argument("--without-embedder", action="store_true")
    parser.add_argument("--misses", action="store_true", help="print every miss with its reason")
    parser.add_argument("--vectors", type=Path, help="file that keeps vectors between runs")
    arguments = parser.parse_args()
    embedder = None
    if not arguments.without_embedder:
        embedder = resolve(EmbedderSettings())
        print("embedder:", embedder.name if embedder else "none can be loaded here")
        if arguments.vectors:
            from fit_judge import KeptVectors

            embedder = KeptVectors(arguments.vectors)
    start = time.monotonic()
    run_adjudication(judge_cases.adjudication(arguments.cases), embedder, arguments.misses)
    run_batches(arguments.cases, embedder, arguments.misses)
    print(f"{time.monotonic() - start:.1f} s")


if __name__ == "__main__":
    main()
