"""Classes that formulas tell apart. `fitted.py` has `FittedClasses`, one model of log-odds per class as a frozen value. The
estimator of it is in `estimators/classifier.py`."""
