"""What a fitted model tells about itself, and how it is made shorter afterwards.

`front.py` chooses among models, `measures.py` takes one apart and ranks its parts, `intervals.py` says how sure numbers and
predictions are, `terms.py` is the sum of terms that pruning works on. What comes in are models of a front and training rows; what
goes out are values, tables and shorter models.

What makes a formula shorter, and what each may change:

| step | changes | costs | when |
|---|---|---|---|
| `expression/rewriting/` `simplify` | how it is written | nothing, the value stays | whenever a formula is made |
| `search/shorter.py` | the model, to a shorter relative | what the search's criterion allows | while searching |
| `written.py` `as_written` | genes that are the terms of the printed formula | nothing | before that |
| `digits.py` `with_few_digits` | digits of numbers, nothing refitted | a millionth of the error | once, after the search |
| `prune.py` `pruned` | terms, weights and parts, the rest refitted | R² up to `max_loss` | when a user calls `prune` |
| `misleading.py` `not_misleading` | terms that cancel, angles that turn too fast | the model itself | once, after the search |
| `rounding.py` `rounded` | numbers, the rest refitted | what pruning left of `max_loss` | as the last step of `prune` |
"""
