"""From a table to a formula: the shortest way. The table holds 500 simulated emergency stops (README.md in this folder)."""

from pathlib import Path

import pandas as pd

from multigene import MultigeneRegressor

stops = pd.read_csv(Path(__file__).with_name("stopping.csv"))
X, y = stops[["speed", "reaction", "grip"]], stops["distance"]

model = MultigeneRegressor(time_limit=3, random_state=0).fit(X, y)
print(model)
for row in model.equations_.head(8).itertuples():
    print(f"{row.complexity:4} nodes, R² {row.r2:.4f}: {row.formula}")
