"""Using a formula elsewhere: as code, in a spreadsheet, in a file; and a shorter formula of the same front."""

import numpy as np
import pandas as pd

from multigene import MultigeneRegressor, load

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.uniform(0, 5, size=(300, 3)), columns=["width", "height", "age"])
y = pd.Series(X["width"] * X["height"] * np.exp(-0.3 * X["age"]), name="price")

model = MultigeneRegressor(time_limit=3, random_state=0).fit(X, y)
print(model.formula_)
for language in ("c", "excel", "sqlite"):
    print(f"\n--- {language}\n{model.formula_.to(language)}")

model.choose("knee")
print(f"\nat the knee of the front: {model.formula_}")

model.save("price.json")
print(load("price.json").predict(X.head(2)))
