"""Laws that are a sum or product of parts over different features, found part by part.

`splits.py` sees from flexible bases which features go together; `phase.py` looks for the parts one after the other, each a law
search of its own over fewer features, and joins them.
"""
