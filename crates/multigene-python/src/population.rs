//! `Dataset` and `Population` for Python.
use std::sync::Arc;

use multigene_core::evaluate::criterion::Criterion;
use multigene_core::population;
use multigene_core::tree::individual;
use multigene_core::tree::weights::Weights;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::convert::{columns, dataset, value_error};
use crate::model::Individual;
use crate::settings::{GeneSettings, RefinementSettings, TuningSettings, VariationSettings, criterion};
use crate::workers::Workers;

/// Training rows.
#[pyclass(frozen, module = "multigene._engine")]
pub struct Dataset(pub multigene_core::evaluate::dataset::Dataset);

#[pymethods]
impl Dataset {
    #[new]
    #[pyo3(signature = (x, y, weights=None, fixed=None, count=None))]
    fn new(
        x: PyReadonlyArray2<'_, f64>,
        y: PyReadonlyArray1<'_, f64>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        fixed: Option<PyReadonlyArray2<'_, f64>>,
        count: Option<usize>,
    ) -> PyResult<Self> {
        let data = dataset(&x, &y, weights.as_ref())?;
        let count = count.unwrap_or(data.rows());
        let data = data.with_count(count);
        let Some(fixed) = fixed else { return Ok(Self(data)) };
        let columns = columns(&fixed, 0..data.rows());
        data.with_fixed(columns)
            .map(Self)
            .ok_or_else(|| PyValueError::new_err("A fixed column is not finite."))
    }

    #[getter]
    fn n_rows(&self) -> usize {
        self.0.rows()
    }

    #[getter]
    fn count(&self) -> usize {
        self.0.count()
    }

    #[getter]
    fn n_features(&self) -> usize {
        self.0.n_features()
    }
}

/// One generation.
#[pyclass(module = "multigene._engine")]
pub struct Population {
    inner: population::Population,
    workers: Py<Workers>,
}

type Arrays<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<u64>>);

#[pymethods]
impl Population {
    #[staticmethod]
    fn grow(py: Python<'_>, genes: GeneSettings, n_features: usize, seeds: Vec<u64>, workers: Py<Workers>) -> PyResult<Self> {
        let primitives = Arc::new(genes.primitives(n_features).map_err(value_error)?);
        let evaluation = genes.evaluation();
        let inner = workers
            .get()
            .run(py, |_| population::Population::grow(primitives, evaluation, &seeds))?;
        Ok(Self { inner, workers })
    }

    #[staticmethod]
    fn of(
        individuals: Vec<PyRef<'_, Individual>>,
        genes: GeneSettings,
        n_features: usize,
        workers: Py<Workers>,
    ) -> PyResult<Self> {
        let primitives = Arc::new(genes.primitives(n_features).map_err(value_error)?);
        if primitives.shares_rows() {
            return Err(PyValueError::new_err(
                "Given individuals cannot be put into a population with synchronised LCFs.",
            ));
        }
        let individuals = individuals.iter().map(|i| i.inner.clone()).collect();
        Ok(Self {
            inner: population::Population::of(individuals, primitives, genes.evaluation(), None),
            workers,
        })
    }

    fn tune(&mut self, py: Python<'_>, data: &Dataset, tuning: TuningSettings) -> PyResult<()> {
        let tuning = tuning.gradient().map_err(value_error)?;
        let inner = &mut self.inner;
        self.workers.get().run(py, |stop| inner.tune(&data.0, &tuning, stop))
    }

    fn tune_shared(&mut self, py: Python<'_>, data: &Dataset, tuning: TuningSettings) -> PyResult<()> {
        let tuning = tuning.gradient().map_err(value_error)?;
        let inner = &mut self.inner;
        self.workers.get().run(py, |stop| inner.tune_shared(&data.0, &tuning, stop))
    }

    fn perturb_shared(&mut self, sigma: f64, seed: u64) {
        self.inner.perturb_shared(sigma, seed);
    }

    #[pyo3(signature = (data, by=None))]
    fn evaluate<'py>(&mut self, py: Python<'py>, data: &Dataset, by: Option<(String, f64, f64)>) -> PyResult<Arrays<'py>> {
        let criterion = by.map_or(Ok(Criterion::R2), |by| criterion(&by)).map_err(value_error)?;
        let inner = &mut self.inner;
        self.workers.get().run(py, |stop| inner.evaluate(&data.0, stop))?;
        let n = data.0.count();
        let fitness = |i: &individual::Individual| {
            if i.is_evaluated() {
                criterion.fitness(i, n)
            } else {
                f64::NEG_INFINITY
            }
        };
        let fitness: Vec<f64> = self.inner.individuals.iter().map(fitness).collect();
        let complexity: Vec<u64> = self.inner.individuals.iter().map(|i| i.complexity() as u64).collect();
        Ok((fitness.into_pyarray(py), complexity.into_pyarray(py)))
    }

    #[pyo3(signature = (data, refinement, by, race, seeds))]
    fn refine(
        &mut self,
        py: Python<'_>,
        data: &Dataset,
        refinement: RefinementSettings,
        by: (String, f64, f64),
        race: Option<f64>,
        seeds: Vec<u64>,
    ) -> PyResult<usize> {
        let refinement = refinement.refinement(criterion(&by).map_err(value_error)?, race);
        let inner = &mut self.inner;
        self.workers
            .get()
            .run(py, |stop| inner.refine(&data.0, &refinement, &seeds, stop))
    }

    fn diversify(&mut self, variation: VariationSettings, seeds: Vec<u64>) -> PyResult<()> {
        self.inner.diversify(&variation.variation().map_err(value_error)?, &seeds);
        Ok(())
    }

    fn forget(&mut self) {
        self.inner.forget();
    }

    fn plant(&mut self, models: Vec<PyRef<'_, Individual>>, first: usize) {
        self.inner
            .plant(models.iter().map(|model| model.inner.clone()).collect(), first);
    }

    /// Best fitness each individual has had during its last tuning.
    fn peaks<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let peak = |i: &individual::Individual| match &i.peak {
            Some(peak) => 1.0 - peak.unexplained,
            None if i.is_evaluated() => i.fitness(),
            None => f64::NEG_INFINITY,
        };
        self.inner.individuals.iter().map(peak).collect::<Vec<f64>>().into_pyarray(py)
    }

    fn breed(
        &self,
        py: Python<'_>,
        parents: PyReadonlyArray2<'_, u64>,
        elites: Vec<usize>,
        variation: VariationSettings,
        seeds: Vec<u64>,
    ) -> PyResult<Self> {
        let size = self.inner.individuals.len();
        let pairs: Vec<(usize, usize)> = parents
            .as_array()
            .rows()
            .into_iter()
            .map(|row| (row[0] as usize, row[1] as usize))
            .collect();
        if pairs.len() != seeds.len() || pairs.iter().any(|&(a, b)| a >= size || b >= size) || elites.iter().any(|&e| e >= size) {
            return Err(PyValueError::new_err(format!(
                "Parents and elites must be among the {size} individuals, with one seed per pair."
            )));
        }
        let (inner, variation) = (&self.inner, variation.variation().map_err(value_error)?);
        let inner = self
            .workers
            .get()
            .run(py, |_| inner.breed(&pairs, &elites, &variation, &seeds))?;
        Ok(Self {
            inner,
            workers: self.workers.clone_ref(py),
        })
    }

    fn neighbours(&self, py: Python<'_>, index: usize, seed: u64, first: usize, number: usize) -> PyResult<Self> {
        self.check_index(index)?;
        Ok(Self {
            inner: self.inner.neighbours(index, seed, first, number),
            workers: self.workers.clone_ref(py),
        })
    }

    fn model(&self, index: usize) -> PyResult<Individual> {
        self.check_index(index)?;
        Ok(Individual {
            inner: self.inner.model(index),
        })
    }

    fn __len__(&self) -> usize {
        self.inner.individuals.len()
    }

    /// The whole state, for a checkpoint.
    fn dump<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let state = (&self.inner.individuals, self.inner.shared());
        let bytes = postcard::to_stdvec(&state).map_err(|e| PyValueError::new_err(e.to_string()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    #[staticmethod]
    fn restore(state: &[u8], genes: GeneSettings, n_features: usize, workers: Py<Workers>) -> PyResult<Self> {
        let primitives = Arc::new(genes.primitives(n_features).map_err(value_error)?);
        let (individuals, shared): (Vec<individual::Individual>, Option<Weights>) = postcard::from_bytes(state)
            .map_err(|_| PyValueError::new_err("The checkpoint's population is damaged; start the run anew."))?;
        Ok(Self {
            inner: population::Population::of(individuals, primitives, genes.evaluation(), shared),
            workers,
        })
    }
}

impl Population {
    fn check_index(&self, index: usize) -> PyResult<()> {
        let size = self.inner.individuals.len();
        if index < size {
            return Ok(());
        }
        Err(PyValueError::new_err(format!(
            "There is no individual {index} in a population of {size}."
        )))
    }
}

/// Node evaluations of one sweep of all genes over all rows, for benchmarks.
#[pyfunction]
pub fn sweep(py: Python<'_>, individuals: Vec<Bound<'_, Individual>>, data: &Dataset, workers: &Workers) -> PyResult<u64> {
    individuals
        .iter()
        .try_for_each(|individual| individual.get().check_features(data.0.n_features()))?;
    let individuals: Vec<&individual::Individual> = individuals.iter().map(|individual| &individual.get().inner).collect();
    workers.run(py, |stop| population::sweep(&individuals, &data.0, stop))
}
