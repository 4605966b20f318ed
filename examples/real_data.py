"""A table with names, rows kept for testing, a report to look at."""

from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

from multigene import MultigeneRegressor

X, y = load_diabetes(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

model = MultigeneRegressor(time_limit=3, random_state=0).fit(X_train, y_train)
print(model)
print(f"test R² {model.score(X_test, y_test):.3f}")
model.report("diabetes.html", X_train, y_train, X_test, y_test)
print("wrote diabetes.html")
