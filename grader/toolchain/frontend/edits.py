"""Edits of a source text that keep every line in its place, and the way back from new columns to old ones."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass


@dataclass(frozen=True)
class Slice:
    """A piece of the original text, itself subject to the edits inside it."""

    start: int
    end: int


Piece = str | Slice


@dataclass(frozen=True)
class _Edit:
    start: int
    end: int
    pieces: tuple[Piece, ...]


class Edits:
    """Collects edits of one source; `apply` renders them in order of position.

    Edits nest only through `Slice`: one edit lies wholly inside a slice of another, or apart from it.
    """

    def __init__(self, source: str) -> None:
        """Begin with none."""
        self.source = source
        self._edits: list[_Edit] = []

    def insert(self, position: int, text: str) -> None:
        """Put `text` before the character at `position`; a later call's text goes after an earlier one's."""
        self._edits.append(_Edit(position, position, (text,)))

    def replace(self, start: int, end: int, *pieces: Piece) -> None:
        """Put `pieces` for the text between `start` and `end`, keeping the newlines that they lose."""
        lost = self._newlines(start, end) - sum(self._piece_newlines(piece) for piece in pieces)
        self._edits.append(_Edit(start, end, (*pieces, "\n" * max(lost, 0))))

    def apply(self) -> Edited:
        """Return the edited text with its map."""
        edits = sorted(self._edits, key=lambda edit: (edit.start, edit.end != edit.start))
        rendered = _Renderer(self.source, edits)
        rendered.slice(0, len(self.source))
        return Edited(self.source, "".join(rendered.out), rendered.marks)

    def _newlines(self, start: int, end: int) -> int:
        return self.source.count("\n", start, end)

    def _piece_newlines(self, piece: Piece) -> int:
        return piece.count("\n") if isinstance(piece, str) else self._newlines(piece.start, piece.end)


@dataclass(frozen=True)
class Edited:
    """The text after the edits.  `marks` are (new offset, old offset, copied) at each change of piece."""

    source: str
    text: str
    marks: list[tuple[int, int, bool]]

    def original(self, line: int, column: int) -> tuple[int, int]:
        """Return the learner's line and column for a line and column of the new text, both from 1."""
        offset = _offset(self.text, line, column)
        index = bisect_right(self.marks, offset, key=lambda mark: mark[0]) - 1
        if index < 0:
            return line, column
        new, old, copied = self.marks[index]
        return _position(self.source, old + (offset - new if copied else 0))


class _Renderer:
    def __init__(self, source: str, edits: list[_Edit]) -> None:
        self.source = source
        self.edits = edits
        self.out: list[str] = []
        self.length = 0
        self.marks: list[tuple[int, int, bool]] = []

    def slice(self, start: int, end: int) -> None:
        position = start
        for edit in self.edits:
            if edit.start < position or not self._inside(edit, start, end):
                continue
            self._emit(self.source[position : edit.start], position, copied=True)
            self._pieces(edit)
            position = edit.end
        self._emit(self.source[position:end], position, copied=True)

    def _inside(self, edit: _Edit, start: int, end: int) -> bool:
        if (start, end) == (0, len(self.source)):
            return True
        if edit.start == edit.end:
            return start < edit.start < end
        return start <= edit.start and edit.end <= end

    def _pieces(self, edit: _Edit) -> None:
        for piece in edit.pieces:
            if isinstance(piece, Slice):
                self.slice(piece.start, piece.end)
            else:
                self._emit(piece, edit.start, copied=False)

    def _emit(self, text: str, origin: int, *, copied: bool) -> None:
        if text:
            self.marks.append((self.length, origin, copied))
            self.out.append(text)
            self.length += len(text)


def _offset(text: str, line: int, column: int) -> int:
    start = 0
    for _ in range(line - 1):
        end = text.find("\n", start)
        if end < 0:
            break
        start = end + 1
    return start + column - 1


def _position(text: str, offset: int) -> tuple[int, int]:
    start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset) + 1, offset - start + 1
