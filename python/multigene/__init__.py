"""multigene: symbolic regression by multi-gene genetic programming with linear combinations of features."""
