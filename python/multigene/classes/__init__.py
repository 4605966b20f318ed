"""Classes that formulas tell apart.

`fitted.py` has `FittedClasses`, the models of log-odds as one frozen value; `measures.py` says how well probabilities tell rows
apart. What comes in are fitted models, one per class or one for two classes; what goes out are probabilities, classes and
scores. The estimator is in `estimators/classifier.py`.
"""
