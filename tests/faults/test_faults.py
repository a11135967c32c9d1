"""The table of known faults tells the truth: all that it names exists."""

from __future__ import annotations

import ast
import csv
from pathlib import Path

import pytest

from grader.agreement import read_corpus
from tests.faults.table import COLUMNS, DOCUMENT, LIST, ROOT, TITLES, carriers, document, read_faults

LOG = ROOT.parent / "shared/faults.tsv"


def test_each_fault_is_shown_or_explained() -> None:
    """A line names something that shows our behaviour, or says why the fault cannot arise."""
    assert tuple(LIST.read_text(encoding="utf-8").split("\n")[0].split("\t")) == COLUMNS
    faults = read_faults()
    assert len({fault.id for fault in faults}) == len(faults) > 150
    for fault in faults:
        assert fault.id[0] in TITLES
        assert fault.fault
        assert fault.shown_by or fault.note, f"{fault.id}: nothing shows it, and nothing says why not"


def test_what_the_table_names_exists() -> None:
    """Submissions are in the corpus, and tests are functions of the files that they are said to be in."""
    corpus = {one.name for one in read_corpus(ROOT / "tests/submissions")}
    for fault in read_faults():
        for name in fault.shown_by:
            file, _, test = name.partition("::")
            if test:
                assert test in _functions(ROOT / file), f"{fault.id}: {name}"
            else:
                assert name in corpus, f"{fault.id}: {name}"


def test_every_id_of_the_corpus_is_in_the_table() -> None:
    """A submission cannot carry an id that the table does not explain."""
    assert set(carriers()) <= {fault.id for fault in read_faults()}


def test_the_document_is_what_the_list_and_the_corpus_say() -> None:
    """docs/faults.md is generated: `python -m tests.faults.table` writes it anew."""
    assert DOCUMENT.read_text(encoding="utf-8") == document(read_faults())


@pytest.mark.skipif(not LOG.exists(), reason="the log of faults is not part of this repository")
def test_no_id_of_the_log_is_missing() -> None:
    """The table has every fault of the log, and no other."""
    with LOG.open(encoding="utf-8", newline="") as stream:
        logged = {row["id"] for row in csv.DictReader(stream, delimiter="\t")}
    assert logged == {fault.id for fault in read_faults()}


def _functions(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
