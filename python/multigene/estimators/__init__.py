"""Further estimators of the scikit-learn API, each made of `MultigeneRegressor` (`estimator.py`).

`classifier.py` has formulas for the log-odds of classes, `transformer.py` hands on genes as features. What comes in are rows with
classes or targets; what goes out are classes with probabilities, or columns. Both run regressors and keep their fitted models.
"""
