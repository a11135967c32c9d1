"""Judge the corpus on several devices and compare the verdicts check by check."""

from grader.agreement.command import main
from grader.agreement.corpus import CorpusError, Submission, read_corpus, read_submission

__all__ = ["CorpusError", "Submission", "main", "read_corpus", "read_submission"]
