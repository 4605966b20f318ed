"""Column names made legal: identifiers for programming languages, and a comment that says which is which."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence

LONGEST = 60  # MATLAB cuts names at 63 characters; two names must not become one by that


def visible(text: str) -> str:
    """The text on one line: what cannot be printed (line breaks, direction marks) as an escape."""

    def shown(character: str) -> str:
        if character == "\\":
            return "\\\\"
        if character.isprintable():
            return character
        code = ord(character)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

    return "".join(map(shown, text))


def identifier(name: str, fallback: str) -> str:
    """An ASCII identifier close to the name: Greek spelt out, accents dropped, the rest underscores."""
    letters = []
    for character in unicodedata.normalize("NFKD", name):
        if character.isascii():
            letters.append(character)
        elif unicodedata.combining(character):
            continue
        else:
            match = re.fullmatch(
                r"GREEK (SMALL|CAPITAL) LETTER (?:FINAL )?(\w+)", unicodedata.name(character, "")
            )
            greek = match and (match[2].lower() if match[1] == "SMALL" else match[2].capitalize())
            letters.append((greek or "_").replace("Lamda", "Lambda").replace("lamda", "lambda"))
    cleaned = re.sub(r"[^A-Za-z0-9]+", "_", "".join(letters)).strip("_")[:LONGEST]
    if not cleaned:
        return fallback
    return f"x_{cleaned}" if cleaned[0].isdigit() else cleaned


def identifiers(names: Sequence[str], reserved: Iterable[str] = ()) -> list[str]:
    """A different legal identifier for every column; reserved words and repetitions get a number."""
    taken = {word.lower() for word in reserved}
    result = []
    for position, name in enumerate(names, start=1):
        stem = candidate = identifier(name, f"x{position}")
        if stem.lower().startswith("mg_"):
            stem = candidate = f"x_{stem}"  # helpers and steps have names that begin so
        repetition = 1
        # Compared without case: `x` and `X` side by side invite mistakes, and some languages take them for
        # one.
        while candidate.lower() in taken:
            repetition += 1
            candidate = f"{stem}_{repetition}"
        taken.add(candidate.lower())
        result.append(candidate)
    return result


def distinct(names: Sequence[str], symbol: Callable[[str], str], in_full: Callable[[str], str]) -> list[str]:
    """A different text for every column: its symbol, or where others have the same one (`λ` and `lambda`, `x1` and `x_1`) its
    name in full; of those the shortest name keeps the symbol."""
    symbols = [symbol(name) for name in names]
    owner = {text: name for name, text in sorted(zip(names, symbols, strict=True), key=lambda p: -len(p[0]))}
    return [text if owner[text] == name else in_full(name) for name, text in zip(names, symbols, strict=True)]


def raw_comment(mark: str, inputs: Sequence[tuple[str, int, str, str]], target: str) -> str:
    """Comment lines naming the target and every raw column: its identifier, its place, its name and what it holds."""
    lines = [f'{mark} "{visible(target)}" from {len(inputs)} columns:']
    lines += [
        f'{mark}   {legal} = column {place + 1}, "{visible(name)}" ({kind})'
        for legal, place, name, kind in inputs
    ]
    return "\n".join(lines) + "\n"


def mapping_comment(
    mark: str, names: Sequence[str], legal: Sequence[str], used: Sequence[int], target: str
) -> str:
    """Comment lines naming the target and, for each column used, its number, its name and its identifier."""
    lines = [f'{mark} "{visible(target)}" from {len(used)} of {len(names)} columns:']
    lines += [f'{mark}   {legal[i]} = column {i + 1}, "{visible(names[i])}"' for i in used]
    return "\n".join(lines) + "\n"
