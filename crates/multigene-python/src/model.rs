//! `Individual` for Python: a model on its own, and the operators.
use multigene_core::evaluate::column_sets::Beam;
use multigene_core::evaluate::dataset::Dataset as CoreDataset;
use multigene_core::evaluate::forward;
use multigene_core::evaluate::gradient::Tunable;
use multigene_core::evaluate::outer_fit::{Context, Workspace};
use multigene_core::tree::individual;
use multigene_core::tree::interval::Interval;
use multigene_core::tree::operator::Operator;
use multigene_core::tree::text;
use multigene_core::tune::gradient;
use multigene_core::tune::levenberg_marquardt::{GeneChoice, levenberg_marquardt};
use multigene_core::tune::refine::polish_all;
use multigene_core::vary::grow::SlotRng;
use multigene_core::vector_math::Level;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rand::SeedableRng;

use crate::convert::{columns, tokens, value_error};
use crate::population::Dataset;
use crate::settings::RefinementSettings;
use crate::workers::Workers;

/// Rows evaluated at a time, so that predicting a million rows needs no second copy of them.
const CHUNK: usize = 1 << 16;

/// What the constructor takes: genes, intercept, coefficients.
type Arguments = (Vec<String>, f64, Vec<f64>);

/// One model: genes, intercept, coefficients.
#[pyclass(frozen, module = "multigene._engine")]
pub struct Individual {
    pub inner: individual::Individual,
}

#[pymethods]
impl Individual {
    #[new]
    fn new(genes: Vec<String>, intercept: f64, coefficients: Vec<f64>) -> PyResult<Self> {
        let inner = individual::Individual::parse(&genes, intercept, coefficients).map_err(value_error)?;
        Ok(Self { inner })
    }

    fn predict<'py>(&self, py: Python<'py>, x: PyReadonlyArray2<'py, f64>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.check_width(&x)?;
        let n = x.as_array().nrows();
        let mut prediction = Vec::with_capacity(n);
        for start in (0..n).step_by(CHUNK) {
            let rows = start..n.min(start + CHUNK);
            let data = CoreDataset::features(columns(&x, rows.clone()), rows.len(), Level::detect());
            prediction.extend(py.detach(|| self.inner.predict(&data, &mut Workspace::default())));
        }
        Ok(prediction.into_pyarray(py))
    }

    /// Values of every gene, one column each.
    fn gene_values<'py>(&self, py: Python<'py>, x: PyReadonlyArray2<'py, f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.check_width(&x)?;
        let n = x.as_array().nrows();
        let data = CoreDataset::features(columns(&x, 0..n), n, Level::detect());
        let context = Context::of(&data);
        let mut values = numpy::ndarray::Array2::zeros((n, self.inner.genes.len()));
        for gene in 0..self.inner.genes.len() {
            let column = self.inner.raw_column(gene, context, &mut Workspace::default());
            values.column_mut(gene).iter_mut().zip(&*column).for_each(|(v, c)| *v = *c);
        }
        Ok(values.into_pyarray(py))
    }

    /// The same genes with outer coefficients fitted to other rows.
    fn fit(&self, data: &Dataset) -> PyResult<Self> {
        let mut inner = self.anew(data)?;
        inner.evaluate(Context::of(&data.0), &mut Workspace::default());
        Ok(Self { inner })
    }

    /// Derivatives of half the squared error (of the standardised target) by every inner weight.
    fn gradient<'py>(&self, py: Python<'py>, data: &Dataset) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (mut inner, mut workspace) = (self.anew(data)?, Workspace::default());
        inner.evaluate(Context::of(&data.0), &mut workspace);
        gradient(&inner, Context::of(&data.0), Tunable::ALL, &mut workspace);
        Ok(workspace.gradient.into_pyarray(py))
    }

    /// All inner weights tuned by Levenberg-Marquardt, outer coefficients fitted.
    fn refine(&self, py: Python<'_>, data: &Dataset, refinement: RefinementSettings) -> PyResult<Self> {
        let mut inner = self.anew(data)?;
        py.detach(|| {
            levenberg_marquardt(
                &mut inner,
                GeneChoice::All,
                Context::of(&data.0),
                &refinement.tuning(),
                &mut Workspace::default(),
                &mut SlotRng::seed_from_u64(0),
            );
        });
        Ok(Self { inner })
    }

    fn in_original_units(&self, means: Vec<f64>, scales: Vec<f64>) -> PyResult<Self> {
        self.check_features(means.len().min(scales.len()))?;
        Ok(Self {
            inner: self.inner.in_original_units(&means, &scales),
        })
    }

    /// Outer bounds of the value over a box of features; NaN where a pole cannot be excluded.
    fn range(&self, low: Vec<f64>, high: Vec<f64>) -> PyResult<(f64, f64)> {
        self.check_features(low.len().min(high.len()))?;
        let features: Vec<Interval> = low.iter().zip(&high).map(|(&low, &high)| Interval::new(low, high)).collect();
        let range = self.inner.range(&features);
        Ok((range.low, range.high))
    }

    #[getter]
    fn n_parameters(&self) -> usize {
        self.inner.parameters()
    }

    #[getter]
    fn genes(&self) -> Vec<String> {
        self.inner
            .genes
            .iter()
            .map(|gene| text::print(&gene.nodes, &self.inner.weights, &[]))
            .collect()
    }

    fn tokens<'py>(&self, py: Python<'py>, gene: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
        tokens(py, &self.inner, gene)
    }

    #[getter]
    fn intercept(&self) -> f64 {
        self.inner.intercept
    }

    #[getter]
    fn coefficients(&self) -> Vec<f64> {
        self.inner.coefficients.clone()
    }

    #[getter]
    fn fitness(&self) -> f64 {
        self.inner.fitness()
    }

    #[getter]
    fn n_nodes(&self) -> usize {
        self.inner.nodes()
    }

    #[getter]
    fn depth(&self) -> usize {
        self.inner.depth()
    }

    #[getter]
    fn lcf_share(&self) -> f64 {
        self.inner.lcf_share()
    }

    #[getter]
    fn complexity(&self) -> usize {
        self.inner.complexity()
    }

    fn __reduce__(slf: Bound<'_, Self>) -> PyResult<(Bound<'_, PyAny>, Arguments)> {
        let class = slf.get_type().into_any();
        let me = slf.get();
        Ok((class, (me.genes(), me.inner.intercept, me.inner.coefficients.clone())))
    }
}

impl Individual {
    /// A copy to be fitted to these rows; what it knows of other rows is forgotten.
    fn anew(&self, data: &Dataset) -> PyResult<individual::Individual> {
        self.check_features(data.0.n_features())?;
        let mut inner = self.inner.clone();
        inner.forget();
        Ok(inner)
    }

    fn check_width(&self, x: &PyReadonlyArray2<'_, f64>) -> PyResult<()> {
        self.check_features(x.shape()[1])
    }

    pub fn check_features(&self, n_features: usize) -> PyResult<()> {
        match self.inner.max_feature() {
            Some(largest) if largest as usize >= n_features => Err(PyValueError::new_err(format!(
                "The model uses feature {largest} but the data has only {n_features} features."
            ))),
            _ => Ok(()),
        }
    }
}

/// Name, arity and infix sign of every operator but the powers.
#[pyfunction]
pub fn operators() -> Vec<(String, usize, Option<&'static str>)> {
    Operator::ALL.iter().map(|op| (op.name(), op.arity(), op.symbol())).collect()
}

/// Applies one operator to arrays.
#[pyfunction]
#[pyo3(signature = (name, x, y=None))]
pub fn apply<'py>(
    py: Python<'py>,
    name: &str,
    x: PyReadonlyArray1<'py, f64>,
    y: Option<PyReadonlyArray1<'py, f64>>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let operator = Operator::parse(name).ok_or_else(|| PyValueError::new_err(format!("There is no operator {name:?}.")))?;
    let values =
        forward::apply(operator, &x.as_array().to_vec(), y.map(|y| y.as_array().to_vec()).as_deref()).map_err(value_error)?;
    Ok(values.into_pyarray(py))
}

/// Models tuned, all genes of each jointly, and shortened where a printed node costs something; in parallel.
#[pyfunction]
pub fn polish(
    py: Python<'_>,
    models: Vec<PyRef<'_, Individual>>,
    data: &Dataset,
    refinement: RefinementSettings,
    price: f64,
    workers: &Workers,
) -> PyResult<Vec<Individual>> {
    let mut inner: Vec<individual::Individual> = models.iter().map(|model| model.inner.clone()).collect();
    workers.run(py, |stop| polish_all(&mut inner, &data.0, &refinement.tuning(), price, stop))?;
    Ok(inner.into_iter().map(|inner| Individual { inner }).collect())
}

/// What a set leaves of the target, its cost, its members.
type Set = (f64, f64, Vec<usize>);

#[pyfunction]
pub fn column_sets(
    py: Python<'_>,
    columns: PyReadonlyArray2<'_, f64>,
    cost: PyReadonlyArray1<'_, f64>,
    target: PyReadonlyArray1<'_, f64>,
    width: usize,
    largest: usize,
    exact: f64,
) -> PyResult<Vec<Set>> {
    let (columns, cost, target) = (columns.as_slice()?, cost.as_slice()?, target.as_slice()?);
    if columns.len() != cost.len() * target.len() {
        let (n, rows) = (cost.len(), target.len());
        return Err(PyValueError::new_err(format!(
            "{} values are not {n} columns of {rows} rows.",
            columns.len()
        )));
    }
    let beam = Beam { width, largest, exact };
    let sets = py.detach(|| multigene_core::evaluate::column_sets::column_sets(columns, cost, target, beam, Level::detect()));
    Ok(sets.into_iter().map(|set| (set.left, set.cost, set.members)).collect())
}
