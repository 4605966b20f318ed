"""Formulas that people write, read as expressions: the one reader of formulas' text.

The notation is that in which formulas are printed, `0.5*x**2 - sin(y)`, with what people and other programs write besides: `^`,
`·`, `y = …` in front, names that are no words in backticks, and functions that are here in terms of others (`FURTHER`). A
mistake is a `ValueError` whose sentence shows the text with the place «marked». `Reader` may be told more names than columns:
`form.py` adds unknown functions and numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NoReturn

import numpy as np

from multigene.data.encoding.columns import made_of, spoken_places
from multigene.expression.build import call, power_of
from multigene.expression.constants import AROUND, DEEPEST, LONGEST
from multigene.expression.operators import OPERATORS, named_power
from multigene.expression.tree import Expression, Number, Variable, evaluate, substitute, variables
from multigene.words import nearest

TOKEN = re.compile(
    r"\s*(?:(?P<name>`[^`]*`)|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|(?P<word>[^\W\d]\w*)"
    r"|(?P<sign>\*\*|[-+*/^(),])|(?P<end>$)|(?P<other>.))"
)
#: Signs that mean another one.
SAME = {"·": "*", "×": "*", "−": "-", "^": "**"}
SIGNS = {"+": "add", "-": "sub", "*": "mul", "/": "div"}

#: Functions of other programs and of SymPy, in terms of operators; arguments are x and y.
FURTHER: Mapping[str, str] = {
    "square": "x**2", "cube": "x**3", "ln": "log(x)", "log10": "log(x)/2.302585092994046",
    "log2": "log(x)/0.6931471805599453", "log1p": "log(1 + x)", "expm1": "exp(x) - 1", "tan": "sin(x)/cos(x)",
    "sinh": "(exp(x) - exp(-x))/2", "cosh": "(exp(x) + exp(-x))/2", "sigmoid": "1/(1 + exp(-x))", "relu": "max(x, 0)",
    "arctan": "atan(x)", "Abs": "abs(x)", "Max": "max(x, y)", "Min": "min(x, y)", "maximum": "max(x, y)",
    "minimum": "min(x, y)", "protected_div": "x/y", "safe_log": "log(x)", "safe_sqrt": "sqrt(x)", "power": "x**y",
    "pow": "x**y", "cbrt": "sign(x)*exp(log(abs(x))/3)",
}  # fmt: skip


@dataclass(frozen=True)
class Token:
    """A piece of the text and where it stands."""

    kind: str
    text: str
    start: int
    end: int


def read(text: str, names: Sequence[str], what: str = "", hint: str = "") -> Expression:
    """The expression that a formula's text says; `names` are the columns, `what` begins the sentence of a mistake, and `hint`
    ends that of a name which is not known."""
    return Reader(text, names, what, hint).expression()


class Reader:
    """Reads one text; the meaning of a name and of a call may be extended."""

    noun = "column"
    """What the names are."""

    def __init__(self, text: str, names: Sequence[str], what: str = "", hint: str = "") -> None:
        self.text, self.what, self.hint = text, what, hint
        self.names, self.columns = names, spoken_places(names)
        if not text.strip() or len(text) > LONGEST:
            raise ValueError(
                f"{self._what}has {len(text.strip()):,} characters; give a formula of 1 to {LONGEST:,}, such as 0.5*x**2."
            )
        head = re.match(r"\s*(?:`[^`]*`|[^\W\d]\w*)\s*=(?!=)", text)
        self.tokens, self.at, self.depth = self._tokens(head.end() if head else 0), 0, 0

    @property
    def _what(self) -> str:
        return f"{self.what} " if self.what else "The text "

    def expression(self) -> Expression:
        """The whole text."""
        found = self._sum()
        if self.peek.kind != "end":
            self.refuse(f"{self.peek.text!r} cannot be read here; put a sign before it, or leave it out.")
        return found

    # --- what may be extended ---------------------------------------------------------------------

    def name(self, token: Token) -> Expression:
        """What a name means."""
        word = token.text.strip("`")
        if word in self.columns:
            return Variable(self.columns[word])
        if word == "pi" and token.kind == "word":
            return Number(math.pi)
        if word == "E" and token.kind == "word":
            return Number(math.e)
        if token.kind == "word" and known(word):
            self.refuse(f"{word!r} is a function; give its argument in parentheses.", token)
        self.refuse(f"{word!r} {self._no_column(word)}", token)
        return None

    def called(self, token: Token, arguments: list[Expression]) -> Expression:
        """What a function of arguments means."""
        word = token.text
        if word in OPERATORS:
            operator = OPERATORS[word]
            if len(arguments) != operator.arity and not (operator.many and len(arguments) > 2):
                self.refuse(f"{word!r} takes {_arguments(operator.arity)}, got {len(arguments)}.", token)
            return call(word, *arguments)
        exponent = named_power(word)
        if exponent is not None:
            self._check_count(token, arguments, 1)
            return power_of(arguments[0], float(exponent))
        if word in FURTHER:
            tree, count = _further(word)
            self._check_count(token, arguments, count)
            if word in ("pow", "power"):
                return self._power(arguments[0], arguments[1])
            return substitute(tree, dict(enumerate(arguments)))
        way_out = nearest(word, [*OPERATORS, *FURTHER]) or f"; functions are {', '.join(OPERATORS)}."
        self.refuse(f"{word!r} is no function{way_out}{self.hint}", token)
        return None

    def _no_column(self, word: str) -> str:
        made = made_of(self.names, word)
        if made:
            return f"is no column of numbers; write for example `{made[0]}` in backticks."
        near = nearest(word, self.columns) or f"; the {self.noun}s are {', '.join(list(self.columns)[:8])}."
        return f"is no {self.noun}{near}{self.hint}"

    # --- grammar ----------------------------------------------------------------------------------

    def _sum(self) -> Expression:
        self.depth += 1
        if self.depth > DEEPEST:
            self.refuse(f"The formula is nested more than {DEEPEST} deep; simplify it.")
        found = self._chain(self._product, "+-")
        self.depth -= 1
        return found

    def _product(self) -> Expression:
        return self._chain(self._signed, "*/")

    def _chain(self, part: Callable[[], Expression], signs: str) -> Expression:
        found = part()
        while self.peek.kind == "sign" and self.peek.text in signs:
            found = call(SIGNS[self._next().text], found, part())
        return found

    def _signed(self) -> Expression:
        minus = False
        while self.peek.kind == "sign" and self.peek.text in "+-":
            minus ^= self._next().text == "-"
        bare = self.peek.kind == "number"
        found = self._raised()
        if not minus:
            return found
        return Number(-found.value) if bare and isinstance(found, Number) else call("neg", found)

    def _raised(self) -> Expression:
        base = self._atom()
        if self.peek.kind == "sign" and self.peek.text == "**":
            self._next()
            self.depth += 1
            if self.depth > DEEPEST:
                self.refuse(f"The formula is nested more than {DEEPEST} deep; simplify it.")
            exponent = self._signed()
            self.depth -= 1
            return self._power(base, exponent)
        return base

    @staticmethod
    def _power(base: Expression, exponent: Expression) -> Expression:
        value = constant(exponent)
        if value is not None:
            return power_of(base, value)
        if constant(base) == math.e:
            return call("exp", exponent)
        return call("exp", call("mul", exponent, call("log", base)))

    def _atom(self) -> Expression:
        token = self._next()
        if token.kind == "number":
            value = float(token.text)
            if not math.isfinite(value):
                self.refuse(
                    f"{token.text} is beyond what floating point holds; give a smaller number.", token
                )
            return Number(value)
        if token.kind == "sign" and token.text == "(":
            found = self._sum()
            self._expect(")")
            return found
        if token.kind == "word" and self.peek.text == "(" and self.peek.kind == "sign":
            return self.called(token, self._call_arguments(token))
        if token.kind in ("word", "name"):
            return self.name(token)
        if token.kind == "end":
            self.refuse("the formula ends where a number, a column or a function should stand.", token)
        self.refuse(
            f"{token.text!r} cannot be read as a part of a formula; give numbers, columns, + - * / ** and functions.",
            token,
        )
        return None

    def _call_arguments(self, token: Token) -> list[Expression]:
        self._expect("(")
        if self.peek.text == ")":
            self.refuse(f"{token.text!r} has no argument; give one, as in {token.text}(x).", token)
        arguments = [self._sum()]
        while self.peek.kind == "sign" and self.peek.text == ",":
            self._next()
            arguments.append(self._sum())
        self._expect(")")
        return arguments

    def _check_count(self, token: Token, arguments: list[Expression], count: int) -> None:
        if len(arguments) != count:
            self.refuse(f"{token.text!r} takes {_arguments(count)}, got {len(arguments)}.", token)

    # --- tokens and mistakes ----------------------------------------------------------------------

    @property
    def peek(self) -> Token:
        """The next piece."""
        return self.tokens[self.at]

    def _next(self) -> Token:
        token = self.tokens[self.at]
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return token

    def _expect(self, sign: str) -> None:
        if self.peek.text != sign:
            found = repr(self.peek.text) if self.peek.text else "the end"
            self.refuse(f"expected {sign!r} but found {found}; check the parentheses.")
        self._next()

    def _tokens(self, start: int) -> list[Token]:
        tokens, at = list[Token](), start
        while not tokens or tokens[-1].kind != "end":
            match = TOKEN.match(self.text, at)
            assert match is not None
            assert match.lastgroup is not None
            kind, piece = match.lastgroup, match[match.lastgroup]
            if piece in SAME:
                kind = "sign"
            tokens.append(Token(kind, SAME.get(piece, piece), match.start(match.lastgroup), match.end()))
            at = match.end()
        return tokens

    def refuse(self, why: str, token: Token | None = None) -> NoReturn:
        """Raise a `ValueError` that shows where."""
        raise ValueError(self._sentence(why, token or self.peek))

    def _sentence(self, why: str, token: Token) -> str:
        before, after = self.text[: token.start], self.text[token.end :]
        before = before if len(before) <= AROUND else "…" + before[-AROUND:]
        after = after if len(after) <= AROUND else after[:AROUND] + "…"
        marked = " ".join(f"{before}«{self.text[token.start : token.end]}»{after}".split())
        return f"{self.what + ' ' if self.what else ''}{marked} cannot be read: {why}"


def known(word: str) -> bool:
    """Is it the name of a function?"""
    return word in OPERATORS or word in FURTHER or named_power(word) is not None


def constant(expression: Expression) -> float | None:
    """The value of an expression of numbers alone; None for others, or where it is not finite."""
    if isinstance(expression, Number):
        return expression.value
    if variables(expression):
        return None
    value = float(evaluate(expression, np.zeros((1, 0)))[0])
    return value if math.isfinite(value) else None


@cache
def _further(word: str) -> tuple[Expression, int]:
    """A function in terms of operators, and the number of its arguments."""
    text = FURTHER[word]
    tree = read(text, ("x", "y"))
    return tree, 2 if re.search(r"\by\b", text) else 1


def _arguments(count: int) -> str:
    return f"{count} argument" if count == 1 else f"{count} arguments"
