"""Judge the corpus on several devices and compare the verdicts check by check."""

from grader.agreement import machine
from grader.agreement.command import SEED, main
from grader.agreement.corpus import CorpusError, Submission, read_corpus, read_submission
from grader.agreement.lanes import Task, judge_all
from grader.agreement.results import Result, Results

__all__ = [
    "SEED",
    "CorpusError",
    "Result",
    "Results",
    "Submission",
    "Task",
    "judge_all",
    "machine",
    "main",
    "read_corpus",
    "read_submission",
]
