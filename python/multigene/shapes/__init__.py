"""What users know of the shape of a formula: parsed (`stated.py`), kept during a search by points (`points.py`) and by a
constrained fit of the outer coefficients (`repair.py`), and proven by interval arithmetic in the end (`jets.py`,
`proof.py`)."""
