//! `Individual` for Python: a model on its own, and the operators.
use multigene_core::evaluate::{column_sets as sets, forward};
use multigene_core::settings::{FunctionEntry, Refinement};
use multigene_core::tree::individual::Individual as Model;
use multigene_core::tree::{functions::FunctionSet, operator::Operator, postfix::Item, saved};
use multigene_core::tune::refine::polish_all;
use multigene_core::vector_math::Level;
use numpy::{IntoPyArray, PyArray2};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;

use crate::convert::{Array, Matrix, Read, Vector, attributes, compute, refused};
use crate::population::Dataset;
use crate::workers::Workers;

/// One model: genes, intercept, coefficients.
#[pyclass(frozen, module = "multigene._engine")]
pub struct Individual(pub Model);

type Set = (f64, f64, Vec<usize>);

#[pymethods]
impl Individual {
    #[new]
    fn new(py: Python, genes: Vec<String>, intercept: f64, coefficients: Vec<f64>) -> PyResult<Self> {
        compute(py, || Model::parse(&genes, intercept, coefficients)).map(Self)
    }

    #[staticmethod]
    fn restore(state: &[u8]) -> PyResult<Self> {
        Model::restored(state).map(Self).map_err(refused)
    }

    fn __reduce__(slf: Bound<Self>) -> PyResult<(Bound<PyAny>, (Vec<u8>,))> {
        Ok((slf.get_type().getattr("restore")?, (slf.get().state(),)))
    }

    fn predict<'py>(&self, py: Python<'py>, x: Matrix) -> PyResult<Array<'py>> {
        let x = x.as_array();
        Ok(compute(py, || self.0.predict_rows(x))?.into_pyarray(py))
    }

    fn gene_values<'py>(&self, py: Python<'py>, x: Matrix) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let x = x.as_array();
        Ok(compute(py, || self.0.gene_rows(x))?.into_pyarray(py))
    }

    fn fit(&self, py: Python, data: &Dataset) -> PyResult<Self> {
        compute(py, || self.0.fitted(&data.0)).map(Self)
    }

    fn gradient<'py>(&self, py: Python<'py>, data: &Dataset) -> PyResult<Array<'py>> {
        Ok(compute(py, || self.0.gradient(&data.0))?.into_pyarray(py))
    }

    fn refine(&self, py: Python, data: &Dataset, refinement: Read<Refinement>) -> PyResult<Self> {
        compute(py, || self.0.refined(&data.0, &refinement.0.optimiser())).map(Self)
    }

    fn in_original_units(&self, py: Python, means: Vec<f64>, scales: Vec<f64>) -> PyResult<Self> {
        compute(py, || self.0.in_original_units(&means, &scales)).map(Self)
    }

    fn range(&self, py: Python, low: Vec<f64>, high: Vec<f64>) -> PyResult<(f64, f64)> {
        compute(py, || self.0.range_over(&low, &high))
    }

    #[pyo3(signature = (shifted=None))]
    fn printed_size(&self, py: Python, shifted: Option<Vec<bool>>) -> usize {
        py.detach(|| self.0.printed_size(&shifted.unwrap_or_default()))
    }

    fn tokens(&self, py: Python, gene: usize) -> PyResult<Vec<Py<PyAny>>> {
        let token = |item| match item {
            Item::Variable(feature) => ("x", feature).into_py_any(py),
            Item::Constant(value) => ("c", value).into_py_any(py),
            Item::Leaf(kind, bias, terms) => (kind, bias, terms).into_py_any(py),
            Item::Power(exponent) => ("pow", exponent).into_py_any(py),
            Item::Function(name) => (name,).into_py_any(py),
            Item::Weights(added, factor) => ("weights", added, factor).into_py_any(py),
        };
        compute(py, || self.0.items(gene))?.into_iter().map(token).collect()
    }
}

attributes!(Individual(model) {
    genes: Vec<String> = model.texts(),
    state: Vec<u8> = saved::dump(model),
    intercept: f64 = model.intercept,
    coefficients: Vec<f64> = model.coefficients.clone(),
    fitness: f64 = model.fitness(),
    n_nodes: usize = model.nodes(),
    n_parameters: usize = model.parameters(),
    depth: usize = model.depth(),
    lcf_share: f64 = model.lcf_share(),
    complexity: usize = model.complexity(),
});

/// The models, to be changed or kept by the engine.
pub fn copies(models: &[Bound<Individual>]) -> Vec<Model> {
    models.iter().map(|model| model.get().0.clone()).collect()
}

#[pyfunction]
pub fn operators() -> Vec<(String, usize, Option<&'static str>)> {
    Operator::ALL.iter().map(|op| (op.name(), op.arity(), op.symbol())).collect()
}

#[pyfunction]
pub fn check_functions(functions: Vec<FunctionEntry>) -> PyResult<()> {
    FunctionSet::of(&functions).map(drop).map_err(refused)
}

#[pyfunction]
#[pyo3(signature = (name, x, y=None))]
pub fn apply<'py>(py: Python<'py>, name: &str, x: Vector, y: Option<Vector>) -> PyResult<Array<'py>> {
    let (x, y) = (x.as_array().to_vec(), y.map(|y| y.as_array().to_vec()));
    Ok(compute(py, || forward::apply(name, &x, y.as_deref()))?.into_pyarray(py))
}

#[pyfunction]
#[pyo3(signature = (models, data, refinement, prices, workers, fit_genes=true))]
pub fn polish(
    py: Python,
    models: Vec<Bound<Individual>>,
    data: &Dataset,
    refinement: Read<Refinement>,
    prices: Vec<f64>,
    workers: &Workers,
    fit_genes: bool,
) -> PyResult<Vec<Individual>> {
    let (models, tuning) = (copies(&models), refinement.0.optimiser());
    let found = workers.run(py, |stop| Ok(polish_all(models, &data.0, &tuning, &prices, fit_genes, stop)))?;
    Ok(found.into_iter().map(Individual).collect())
}

#[pyfunction]
pub fn column_sets(py: Python, columns: Matrix, cost: Vector, target: Vector, beam: (usize, usize, f64)) -> PyResult<Vec<Set>> {
    let (columns, cost, target) = (columns.as_slice()?, cost.as_slice()?, target.as_slice()?);
    let found = compute(py, || sets::column_sets(columns, cost, target, beam.into(), Level::detect()))?;
    Ok(found.into_iter().map(|set| (set.left, set.cost, set.members)).collect())
}
