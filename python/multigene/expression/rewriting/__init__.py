"""Rewriting expressions: what may always be done, what may be done to a law, and which form is chosen.

What comes in is an expression; what goes out is an equivalent one, shorter or more like what people write.

| module | holds |
|---|---|
| `always.py` | rules that keep the value everywhere: `simplify`, `fold_constants` |
| `canonical.py` | sums and products in canonical form, which `simplify` writes |
| `where_seen.py` | rules that hold where a law was seen: powers, logarithms, roots, common factors, squares |
| `positive.py` | `powers_joined`: powers of variables that are known to be positive |
| `scales.py` | numbers pulled out of sums, powers and roots; sums that are factors with a bare term |
| `tails.py` | functions whose tail alone the data see |
| `sums.py` | other ways to write a sum or a product, all of them offered |
| `ties.py` | of forms of the same size the one people write |
| `choosing.py` | `natural`: these in passes, the shortest form taken |
| `parts.py` | taking apart, for all of them; `expression/build.py` puts together |

A new rule that is true for every value goes into `always.py`; one that needs a sign, a domain or a lucky constant into
`where_seen.py`; one that is as often longer as shorter into `sums.py`; one that only looks better into
`ties.py`.
"""

from multigene.expression.rewriting.always import fold_constants, simplify
from multigene.expression.rewriting.choosing import natural
from multigene.expression.rewriting.parts import replaced, split_term
from multigene.expression.rewriting.positive import powers_joined

__all__ = ["fold_constants", "natural", "powers_joined", "replaced", "simplify", "split_term"]
