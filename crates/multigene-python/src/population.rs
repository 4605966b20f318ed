//! `Dataset` and `Population` for Python.
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use multigene_core::error::Result as CoreResult;
use multigene_core::evaluate::{criterion::Criterion, dataset::Dataset as Rows};
use multigene_core::population::{self, Evaluation, Population as Individuals};
use multigene_core::settings::{Genes, Refinement, Tuning, Variation};
use multigene_core::{tune::refine::Refining, vary::grow::Primitives, vector_math::Level};
use numpy::ndarray::ArrayView1;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::convert::{Array, Fallible, Matrix, Vector, columns};
use crate::loss::given;
use crate::model::{Individual, copies};
use crate::settings::Settings;
use crate::workers::Workers;

/// Training rows.
#[pyclass(frozen, module = "multigene._engine")]
pub struct Dataset(pub Rows);

#[pymethods]
impl Dataset {
    #[new]
    #[pyo3(signature = (x, y, weights=None, fixed=None, count=None, loss=None, shifted=None))]
    #[allow(clippy::too_many_arguments)] // the signature is what Python calls
    fn new(
        py: Python<'_>,
        x: Matrix<'_>,
        y: Vector<'_>,
        weights: Option<Vector<'_>>,
        fixed: Option<Matrix<'_>>,
        count: Option<usize>,
        loss: Option<Bound<'_, PyAny>>,
        shifted: Option<Vec<bool>>,
    ) -> Fallible<Self> {
        let (x, y, weights) = (x.as_array(), y.as_array().to_vec(), weights.map(|w| w.as_array().to_vec()));
        let fixed = fixed.as_ref().map(|fixed| fixed.as_array());
        let loss = loss.map_or(Ok(None), given)?;
        let data = py.detach(|| {
            let data = Rows::new(columns(x), &y, weights.as_deref(), Level::detect())?;
            let fixed = fixed.map_or_else(Vec::new, |fixed| columns(fixed));
            let data = data
                .with_count(count.unwrap_or(y.len()))
                .with_shifted(shifted)
                .with_fixed(fixed)?;
            match loss {
                Some(loss) => data.with_loss(loss, &y),
                None => Ok(data),
            }
        });
        Ok(Self(data?))
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
    inner: Individuals,
    workers: Py<Workers>,
}

/// Name of a criterion, its prices per parameter and per node.
type By = (String, f64, f64);
type Measures<'py> = (Array<'py>, Bound<'py, PyArray1<u64>>);
type Models<'py> = Vec<Bound<'py, Individual>>;

#[pymethods]
impl Population {
    #[staticmethod]
    fn grow(py: Python<'_>, genes: Settings<Genes>, n_features: usize, seeds: Vec<u64>, workers: Py<Workers>) -> Fallible<Self> {
        let make = |primitives, evaluation| Ok(Individuals::grow(primitives, evaluation, &seeds));
        Self::made(py, &genes.0, n_features, workers, make)
    }

    #[staticmethod]
    fn of(
        py: Python<'_>,
        individuals: Models,
        genes: Settings<Genes>,
        n_features: usize,
        workers: Py<Workers>,
    ) -> Fallible<Self> {
        let models = copies(&individuals);
        let make = |primitives, evaluation| Individuals::of_models(models, primitives, evaluation);
        Self::made(py, &genes.0, n_features, workers, make)
    }

    #[staticmethod]
    fn restore(py: Python<'_>, state: &[u8], genes: Settings<Genes>, n_features: usize, workers: Py<Workers>) -> Fallible<Self> {
        let make = |primitives, evaluation| Individuals::restore(state, primitives, evaluation);
        Self::made(py, &genes.0, n_features, workers, make)
    }

    fn dump<'py>(&self, py: Python<'py>) -> Fallible<Bound<'py, PyBytes>> {
        let state = py.detach(|| self.inner.dump())?;
        Ok(PyBytes::new(py, &state))
    }

    fn tune(&mut self, py: Python<'_>, data: &Dataset, tuning: Settings<Tuning>) -> Fallible<()> {
        self.run(py, |population, stop| population.tune(&data.0, &tuning.0, stop))
    }

    fn tune_shared(&mut self, py: Python<'_>, data: &Dataset, tuning: Settings<Tuning>) -> Fallible<()> {
        self.run(py, |population, stop| population.tune_shared(&data.0, &tuning.0, stop))
    }

    fn perturb_shared(&mut self, py: Python<'_>, sigma: f64, seed: u64) -> Fallible<()> {
        self.run(py, |population, _| population.perturb_shared(sigma, seed))
    }

    #[pyo3(signature = (data, by=None))]
    fn evaluate<'py>(&mut self, py: Python<'py>, data: &Dataset, by: Option<By>) -> Fallible<Measures<'py>> {
        let criterion = by.map_or(Ok(Criterion::R2), criterion)?;
        let (fitness, complexity) = self.run(py, |population, stop| {
            population.evaluate(&data.0, stop);
            population.measures(criterion, &data.0)
        })?;
        Ok((fitness.into_pyarray(py), complexity.into_pyarray(py)))
    }

    fn refine(
        &mut self,
        py: Python<'_>,
        data: &Dataset,
        refinement: Settings<Refinement>,
        by: By,
        race: Option<f64>,
        seeds: Vec<u64>,
    ) -> Fallible<usize> {
        let (settings, criterion) = (refinement.0, criterion(by)?);
        let refining = Refining {
            settings,
            criterion,
            race,
        };
        self.run(py, |population, stop| population.refine(&data.0, &refining, &seeds, stop))
    }

    fn diversify(&mut self, py: Python<'_>, variation: Settings<Variation>, seeds: Vec<u64>) -> Fallible<()> {
        self.run(py, |population, _| population.diversify(&variation.0, &seeds))
    }

    fn forget(&mut self, py: Python<'_>) {
        py.detach(|| self.inner.forget());
    }

    fn plant(&mut self, py: Python<'_>, models: Models, first: usize) {
        let models = copies(&models);
        py.detach(|| self.inner.plant(models, first));
    }

    fn peaks<'py>(&self, py: Python<'py>) -> Array<'py> {
        self.inner.peaks().into_pyarray(py)
    }

    fn breed(
        &self,
        py: Python<'_>,
        parents: PyReadonlyArray2<'_, u64>,
        elites: Vec<usize>,
        variation: Settings<Variation>,
        seeds: Vec<u64>,
    ) -> Fallible<Self> {
        let pair = |row: ArrayView1<u64>| (row[0] as usize, row[1] as usize);
        let pairs: Vec<(usize, usize)> = parents.as_array().rows().into_iter().map(pair).collect();
        self.inner.check_breeding(&pairs, &elites, &seeds)?;
        self.beside(py, |population| population.breed(&pairs, &elites, &variation.0, &seeds))
    }

    fn neighbours(&self, py: Python<'_>, index: usize, seed: u64, first: usize, number: usize) -> Fallible<Self> {
        self.inner.check_index(index)?;
        self.beside(py, |population| population.neighbours(index, seed, first, number))
    }

    fn model(&self, index: usize) -> Fallible<Individual> {
        self.inner.check_index(index)?;
        Ok(Individual(self.inner.model(index)))
    }

    fn __len__(&self) -> usize {
        self.inner.individuals.len()
    }
}

impl Population {
    /// A population on these threads, made of what the settings say.
    fn made<F>(py: Python<'_>, genes: &Genes, n_features: usize, workers: Py<Workers>, make: F) -> Fallible<Self>
    where
        F: FnOnce(Arc<Primitives>, Evaluation) -> CoreResult<Individuals> + Send,
    {
        let make = |_: &AtomicBool| make(Arc::new(genes.primitives(n_features)?), genes.evaluation());
        Ok(Self {
            inner: workers.get().run(py, make)?,
            workers,
        })
    }

    /// Another population on the same threads, made of this one.
    fn beside(&self, py: Python<'_>, make: impl FnOnce(&Individuals) -> Individuals + Send) -> Fallible<Self> {
        let (inner, workers) = (&self.inner, self.workers.clone_ref(py));
        Ok(Self {
            inner: workers.get().run(py, |_| Ok(make(inner)))?,
            workers,
        })
    }

    /// A verb on all individuals, in parallel and without the interpreter lock.
    fn run<R: Send>(&mut self, py: Python<'_>, verb: impl FnOnce(&mut Individuals, &AtomicBool) -> R + Send) -> Fallible<R> {
        let inner = &mut self.inner;
        self.workers.get().run(py, |stop| Ok(verb(inner, stop)))
    }
}

fn criterion((name, per_parameter, per_node): By) -> Fallible<Criterion> {
    Ok(Criterion::named(&name, per_parameter, per_node)?)
}

#[pyfunction]
pub fn sweep(py: Python<'_>, individuals: Models, data: &Dataset, workers: &Workers) -> Fallible<u64> {
    let individuals: Vec<_> = individuals.iter().map(|individual| &individual.get().0).collect();
    workers.run(py, |stop| population::sweep(&individuals, &data.0, stop))
}
