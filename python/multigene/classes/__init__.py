"""Classes that formulas tell apart. `fitted.py` has `FittedClasses`, one model of log-odds per class as a frozen value;
`measures.py` says how well probabilities tell rows apart. The estimator is in `estimators/classifier.py`."""
