"""Further estimators of the scikit-learn API, each made of `MultigeneRegressor` (`estimator.py`). `classifier.py` has formulas
for the log-odds of classes; `transformer.py` hands on genes as features. Both run regressors and keep what those leave behind."""
