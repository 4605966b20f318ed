//! `Individual` for Python: a model on its own, and the operators.
use multigene_core::error::Error;
use multigene_core::evaluate::{column_sets as sets, dataset::Dataset as Rows, forward, outer_fit::Workspace};
use multigene_core::settings::{FunctionEntry, Refinement};
use multigene_core::tree::{functions::FunctionSet, individual::Individual as Model, interval::Interval, operator::Operator};
use multigene_core::tune::refine::polish_all;
use multigene_core::vector_math::Level;
use numpy::ndarray::{Array2, ArrayView2, s};
use numpy::{IntoPyArray, PyArray2};
use pyo3::prelude::*;

use crate::convert::{Array, Fallible, Matrix, Vector, columns_used, tokens};
use crate::population::Dataset;
use crate::settings::Settings;
use crate::workers::Workers;

/// Rows evaluated at a time, so that predicting a million rows needs no second copy of them.
const CHUNK: usize = 1 << 13;

/// One model: genes, intercept, coefficients.
#[pyclass(frozen, module = "multigene._engine")]
pub struct Individual(pub Model);

#[pymethods]
impl Individual {
    #[new]
    fn new(genes: Vec<String>, intercept: f64, coefficients: Vec<f64>) -> Fallible<Self> {
        Ok(Self(Model::parse(&genes, intercept, coefficients)?))
    }

    fn predict<'py>(&self, py: Python<'py>, x: Matrix<'py>) -> Fallible<Array<'py>> {
        let x = self.features(x.as_array())?;
        let used = self.used(x.ncols());
        let chunk = |start: usize| {
            let rows = start..x.nrows().min(start + CHUNK);
            let data = Rows::features(
                columns_used(x.slice(s![rows.clone(), ..]), &used),
                rows.len(),
                Level::detect(),
            );
            self.0.predict(&data, &mut Workspace::default())
        };
        let prediction: Vec<f64> = py.detach(|| (0..x.nrows()).step_by(CHUNK).flat_map(chunk).collect());
        Ok(prediction.into_pyarray(py))
    }

    fn gene_values<'py>(&self, py: Python<'py>, x: Matrix<'py>) -> Fallible<Bound<'py, PyArray2<f64>>> {
        let x = self.features(x.as_array())?;
        let values = py.detach(|| {
            let columns = columns_used(x, &self.used(x.ncols()));
            let genes = self.0.gene_values(&Rows::features(columns, x.nrows(), Level::detect()));
            Array2::from_shape_fn((x.nrows(), genes.len()), |(row, gene)| genes[gene][row])
        });
        Ok(values.into_pyarray(py))
    }

    fn fit(&self, py: Python<'_>, data: &Dataset) -> Fallible<Self> {
        Ok(Self(py.detach(|| self.0.fitted(&data.0))?))
    }

    fn gradient<'py>(&self, py: Python<'py>, data: &Dataset) -> Fallible<Array<'py>> {
        Ok(py.detach(|| self.0.gradient(&data.0))?.into_pyarray(py))
    }

    fn refine(&self, py: Python<'_>, data: &Dataset, refinement: Settings<Refinement>) -> Fallible<Self> {
        Ok(Self(py.detach(|| self.0.refined(&data.0, &refinement.0.optimiser()))?))
    }

    fn in_original_units(&self, means: Vec<f64>, scales: Vec<f64>) -> Fallible<Self> {
        self.0.check_features(means.len().min(scales.len()))?;
        Ok(Self(self.0.in_original_units(&means, &scales)))
    }

    fn range(&self, low: Vec<f64>, high: Vec<f64>) -> Fallible<(f64, f64)> {
        self.0.check_features(low.len().min(high.len()))?;
        let features: Vec<Interval> = low.iter().zip(&high).map(|(&low, &high)| Interval::new(low, high)).collect();
        let range = self.0.range(&features);
        Ok((range.low, range.high))
    }

    fn tokens(&self, py: Python<'_>, gene: usize) -> PyResult<Vec<Py<PyAny>>> {
        tokens(py, &self.0, gene)
    }

    #[getter]
    fn genes(&self) -> Vec<String> {
        self.0.texts()
    }

    #[getter]
    fn intercept(&self) -> f64 {
        self.0.intercept
    }

    #[getter]
    fn coefficients(&self) -> Vec<f64> {
        self.0.coefficients.clone()
    }

    #[getter]
    fn fitness(&self) -> f64 {
        self.0.fitness()
    }

    #[getter]
    fn n_nodes(&self) -> usize {
        self.0.nodes()
    }

    #[getter]
    fn n_parameters(&self) -> usize {
        self.0.parameters()
    }

    #[getter]
    fn depth(&self) -> usize {
        self.0.depth()
    }

    #[getter]
    fn lcf_share(&self) -> f64 {
        self.0.lcf_share()
    }

    #[getter]
    fn complexity(&self) -> usize {
        self.0.complexity()
    }

    #[pyo3(signature = (shifted=None))]
    fn printed_size(&self, shifted: Option<Vec<bool>>) -> usize {
        self.0.printed_size(&shifted.unwrap_or_default())
    }

    fn __reduce__(slf: Bound<'_, Self>) -> (Bound<'_, PyAny>, (Vec<String>, f64, Vec<f64>)) {
        let model = &slf.get().0;
        (
            slf.get_type().into_any(),
            (model.texts(), model.intercept, model.coefficients.clone()),
        )
    }
}

impl Individual {
    /// A matrix of features, if it has all that the model uses.
    fn features<'a>(&self, x: ArrayView2<'a, f64>) -> Fallible<ArrayView2<'a, f64>> {
        self.0.check_features(x.ncols())?;
        Ok(x)
    }

    /// Which of so many features the model uses.
    fn used(&self, n_features: usize) -> Vec<bool> {
        let mut used = vec![false; n_features];
        self.0.features().for_each(|feature| used[feature as usize] = true);
        used
    }
}

/// The models, to be changed or kept by the engine.
pub fn copies(models: &[Bound<'_, Individual>]) -> Vec<Model> {
    models.iter().map(|model| model.get().0.clone()).collect()
}

#[pyfunction]
pub fn operators() -> Vec<(String, usize, Option<&'static str>)> {
    Operator::ALL.iter().map(|op| (op.name(), op.arity(), op.symbol())).collect()
}

#[pyfunction]
pub fn check_functions(functions: Vec<FunctionEntry>) -> Fallible<()> {
    FunctionSet::of(&functions)?;
    Ok(())
}

#[pyfunction]
#[pyo3(signature = (name, x, y=None))]
pub fn apply<'py>(py: Python<'py>, name: &str, x: Vector<'py>, y: Option<Vector<'py>>) -> Fallible<Array<'py>> {
    let operator = Operator::parse(name).ok_or_else(|| Error::new(format!("There is no operator {name:?}.")))?;
    let (x, y) = (x.as_array().to_vec(), y.map(|y| y.as_array().to_vec()));
    Ok(py.detach(|| forward::apply(operator, &x, y.as_deref()))?.into_pyarray(py))
}

#[pyfunction]
#[pyo3(signature = (models, data, refinement, price, workers, fit_genes=true))]
pub fn polish(
    py: Python<'_>,
    models: Vec<Bound<'_, Individual>>,
    data: &Dataset,
    refinement: Settings<Refinement>,
    price: f64,
    workers: &Workers,
    fit_genes: bool,
) -> Fallible<Vec<Individual>> {
    let (models, optimiser) = (copies(&models), refinement.0.optimiser());
    let polished = workers.run(py, |stop| Ok(polish_all(models, &data.0, &optimiser, price, fit_genes, stop)))?;
    Ok(polished.into_iter().map(Individual).collect())
}

#[pyfunction]
pub fn column_sets(
    py: Python<'_>,
    columns: Matrix<'_>,
    cost: Vector<'_>,
    target: Vector<'_>,
    width: usize,
    largest: usize,
    exact: f64,
) -> Fallible<Vec<(f64, f64, Vec<usize>)>> {
    let contiguous = |error: numpy::AsSliceError| PyErr::from(error);
    let (columns, cost) = (columns.as_slice().map_err(contiguous)?, cost.as_slice().map_err(contiguous)?);
    let target = target.as_slice().map_err(contiguous)?;
    let beam = sets::Beam { width, largest, exact };
    let found = py
        .detach(|| sets::column_sets(columns, cost, target, beam, Level::detect()))?
        .into_iter();
    Ok(found.map(|set| (set.left, set.cost, set.members)).collect())
}
