"""Text that is not UTF-8: which of the older encodings it is in, told by what its letters spell.

Every line that is UTF-8 stays so. Of the others each encoding makes some letters; that one is taken whose letters are all of the
alphabet of one language, Windows-1252 before the others. Encodings of Chinese, Japanese and Korean, two bytes for a character,
are told by which bytes are used.
"""

from __future__ import annotations

import re
from collections import Counter

from multigene.data.constants import FOREIGN_LETTERS, MOST_OF_THE_LETTERS

#: Encodings of one byte for a letter, those first that are taken where several spell as well, and letters of their languages.
_ALPHABETS: dict[str, tuple[str, ...]] = {
    "cp1252": (
        "äöüß", "éèêëàâçîïôùûœæ", "áéíóúüñ¿¡ªº", "áàâãéêíóôõúçªº", "àèéìíòóùú", "åäöé", "æøåé", "éëïöüèáó", "áðéíóúýþæö",
        "àéèíïóòúüç·",
    ),
    "cp1250": (
        "ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "čćđšž", "ăâîşţșț",
    ),
    "cp1251": ("абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґўђјљњћџќѓѕ",),
    "cp1253": ("αβγδεζηθικλμνξοπρστυφχψωςάέήίόύώϊϋΐΰ",),
    "cp1254": ("çğıİöşüâîû",),
    "cp1257": ("ąčęėįšųūž", "āčēģīķļņšūž", "äöõüšž"),
    "koi8-r": ("абвгдежзийклмнопрстуфхцчшщъыьэюяё",),
}  # fmt: skip
#: What is written beside letters in any language.
_MARKS = frozenset("°µ²³½¼¾±×·€£§©®«»„“”‘’–—…™%‰\u00a0")
_NAMES = {
    "koi8-r": "KOI8-R", "shift_jis": "Shift JIS", "euc_jp": "EUC-JP", "cp949": "EUC-KR", "gb18030": "GB 18030", "big5": "Big5",
}  # fmt: skip
#: First bytes of the common characters of Korean and Chinese, from and to, and the least second byte.
_COMMON = {"cp949": (0xB0, 0xC8, 0xA1), "gb18030": (0xA1, 0xD7, 0xA1), "big5": (0xA1, 0xC6, 0x40)}
_WORD = re.compile(r"[^\W\d_]+")
_MARK_IN_WORD = re.compile(r"(?<=[^\W\d_])[¹²³ºª¼½¾¿¡±«»](?=[^\W\d_])|[£¥¼¾](?=[^\W\d_])")
_OTHER_SCRIPTS = ("cp1251", "cp1253", "koi8-r")


def legacy_text(content: bytes) -> tuple[str, str]:
    """The text, and what was done."""
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    others = [line for line in lines if not _is_utf8(line)]
    foreign = b"\n".join(others)
    pairs = _of_pairs(foreign)
    first, *others_as_likely = [pairs] if pairs else _of_letters(foreign)
    encoding = first or "cp1252"
    text = "\n".join(line.decode() if _is_utf8(line) else _decoded(line, encoding) for line in lines)
    if first is None:
        said = "looks wrong as {}; give --encoding, such as cp850, cp1250, gb18030, shift_jis or euc_kr"
    elif others_as_likely:
        said = "was read as {}, though it may be " + f"{_name(others_as_likely[0])}; --encoding says so"
    else:
        said = "was read as {}; --encoding says otherwise"
    return text, said.format(_name(encoding))


def _name(encoding: str | None) -> str:
    return _NAMES.get(encoding or "", (encoding or "").replace("cp", "Windows-"))


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeError:
        return False
    return True


def _decoded(line: bytes, encoding: str) -> str:
    try:
        return line.decode(encoding)
    except UnicodeError:
        return line.decode("latin-1")


def _of_letters(content: bytes) -> list[str | None]:
    """The encoding whose letters are those of one language, None where no language has most of them; and those that spell other
    letters as well as it."""
    spelled: dict[str, float] = {}
    for encoding, alphabets in _ALPHABETS.items():
        text = content.decode(encoding, errors="replace")
        if "\ufffd" in text:  # a byte that it has no character for
            spelled[encoding] = -1.0
            continue
        letters = Counter(c for c in text if not c.isascii() and c not in _MARKS)
        many = sum(letters.values())
        if not many:  # degree signs and the like
            return ["cp1252"]
        within = max(
            sum(n for c, n in letters.items() if c in alphabet or c.lower() in alphabet)
            for alphabet in alphabets
        )
        spelled[encoding] = (
            within / many - _odd_words(text, mixed=encoding in _OTHER_SCRIPTS) - _marks_in_words(text)
        )
    best = max(spelled, key=lambda each: round(spelled[each], 2))  # the first of equals
    if spelled[best] < MOST_OF_THE_LETTERS:
        return [None if spelled["cp1252"] < 0.5 else "cp1252"]
    latin = [each for each in spelled if best not in _OTHER_SCRIPTS and each not in _OTHER_SCRIPTS]
    equal = [each for each in latin if round(spelled[each], 2) == round(spelled[best], 2)]
    return [best, *(each for each in equal if content.decode(each) != content.decode(best))]


def _odd_words(text: str, *, mixed: bool) -> float:
    """Share of words with foreign letters that have a capital behind a small letter, as no word has; or, if `mixed` counts, a
    Latin letter beside one of another script."""
    words = [word for word in _WORD.findall(text) if not word.isascii()]
    capitals = sum(word != word.upper() and word[1:] != word[1:].lower() for word in words)
    scripts = sum(any(c.isascii() for c in word) for word in words) if mixed else 0
    return float(max(capitals, scripts) / max(1, len(words)))


def _marks_in_words(text: str) -> float:
    """Share of marks among what is not ASCII that stand between letters, as in `Krak³w`, or before one: `£omża`."""
    beyond = sum(not c.isascii() for c in text)
    return len(_MARK_IN_WORD.findall(text)) / max(1, beyond)


def _of_pairs(content: bytes) -> str | None:
    """The encoding of two bytes for a character; None where bytes beyond ASCII do not stand in pairs."""
    beyond = sum(byte > 0x7F for byte in content)
    runs = sum(len(run) for run in re.findall(rb"[\x80-\xff]{2,}", content))
    if beyond < FOREIGN_LETTERS:
        return None
    scores = {name: _typical(content, name) for name in ("shift_jis", "euc_jp", "cp949", "gb18030", "big5")}
    best = max(scores, key=lambda name: scores[name])
    together = runs > MOST_OF_THE_LETTERS * beyond or best in ("shift_jis", "big5")
    return best if together and scores[best] >= MOST_OF_THE_LETTERS else None


def _typical(content: bytes, encoding: str) -> float:
    """Share of the characters of an encoding that are common ones of its language."""
    try:
        wide = [c for c in content.decode(encoding) if not c.isascii()]
        pairs = [c.encode(encoding) for c in wide]
    except UnicodeError:
        return 0.0
    private = any("\ue000" <= c <= "\uf8ff" for c in wide)  # no character of any language
    if not wide or private or sum(len(pair) == 2 for pair in pairs) < MOST_OF_THE_LETTERS * len(wide):
        return 0.0
    if encoding in ("shift_jis", "euc_jp"):  # Japanese has kana between its characters
        kana = sum("\u3040" <= c <= "\u30ff" for c in wide)
        usual = sum("\u3000" <= c <= "\u30ff" or "\u4e00" <= c <= "\u9fff" for c in wide)
        return usual / len(wide) if kana >= 0.2 * len(wide) else 0.0
    low, high, second = _COMMON[encoding]
    common = sum(low <= pair[0] <= high and pair[-1] >= second for pair in pairs)
    # Bytes of Korean are bytes of Chinese as well, but nearly all in one part of the table.
    return float(common / len(wide) * (1.0 if encoding == "cp949" else 0.98))
