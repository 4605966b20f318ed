"""The studio: a local web application that looks at a table, runs searches that can be watched and steered, and explores models.

`workspace.py` keeps data and runs as plain files, `question.py` turns what was asked into an estimator and into Python that
repeats it, `live.py` is a search on a thread, `access.py` decides who may ask, `app.py` answers, `serve.py` starts it all. The
explorer is the report's. Needs the extra `multigene[studio]`; nothing leaves the machine.
"""
