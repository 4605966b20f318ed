"""Measured data with names, rows kept for testing, a linear model for comparison, a report to look at.

The area of 569 cell nuclei from their outline and texture; the table comes with scikit-learn.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split

from multigene import MultigeneRegressor

columns = ["perimeter", "texture", "smoothness", "compactness", "concavity", "symmetry", "area"]
nuclei = load_breast_cancer(as_frame=True).data[[f"mean {name}" for name in columns]]
nuclei.columns = columns
X, y = nuclei.drop(columns="area"), nuclei["area"]
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

model = MultigeneRegressor(time_limit=3, random_state=0).fit(X_train, y_train)
line = LinearRegression().fit(X_train, y_train)
print(model)
print(f"test R² {model.score(X_test, y_test):.4f}, of a linear model {line.score(X_test, y_test):.4f}")
model.report("nuclei.html", X_train, y_train, X_test, y_test)
print("wrote nuclei.html")
