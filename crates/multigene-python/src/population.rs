//! `Dataset` and `Population` for Python.
use std::sync::atomic::AtomicBool;

use multigene_core::error::Result;
use multigene_core::evaluate::{dataset::Dataset as Rows, matrix::columns};
use multigene_core::population::{self, Population as Individuals};
use multigene_core::settings::{Genes, Refinement, Selection, Tuning, Variation};
use multigene_core::{tune::refine::Refining, vector_math::Level};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2, ndarray::ArrayView1};
use pyo3::prelude::*;

use crate::convert::{Array, Matrix, Read, Vector, attributes, compute, refused};
use crate::loss::given;
use crate::model::{Individual, copies};
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
        py: Python,
        x: Matrix,
        y: Vector,
        weights: Option<Vector>,
        fixed: Option<Matrix>,
        count: Option<usize>,
        loss: Option<Bound<PyAny>>,
        shifted: Option<Vec<bool>>,
    ) -> PyResult<Self> {
        let (x, y, weights) = (x.as_array(), y.as_array().to_vec(), weights.map(|w| w.as_array().to_vec()));
        let (fixed, loss) = (fixed.as_ref().map(|fixed| fixed.as_array()), loss.map_or(Ok(None), given)?);
        let rows = || {
            let rows = Rows::new(columns(x), &y, weights.as_deref(), Level::detect())?;
            let rows = rows.with_count(count).with_shifted(shifted);
            rows.with_fixed(fixed.map_or_else(Vec::new, columns))?.with_loss(loss, &y)
        };
        compute(py, rows).map(Self)
    }
}

attributes!(Dataset(rows) {
    n_rows: usize = rows.rows(),
    count: usize = rows.count(),
    n_features: usize = rows.n_features(),
});

/// One generation.
#[pyclass(module = "multigene._engine")]
pub struct Population {
    inner: Individuals,
    workers: Py<Workers>,
}

type Seeds = Vec<u64>;
type Pairs<'py> = PyReadonlyArray2<'py, u64>;
type Measures<'py> = (Array<'py>, Bound<'py, PyArray1<u64>>);
type Models<'py> = Vec<Bound<'py, Individual>>;

#[pymethods]
impl Population {
    #[staticmethod]
    fn grow(py: Python, genes: Read<Genes>, n_features: usize, seeds: Seeds, workers: Py<Workers>) -> PyResult<Self> {
        Self::made(py, workers, || genes.0.grow(n_features, &seeds))
    }

    #[staticmethod]
    fn of(py: Python, individuals: Models, genes: Read<Genes>, n_features: usize, workers: Py<Workers>) -> PyResult<Self> {
        let models = copies(&individuals);
        Self::made(py, workers, || genes.0.population_of(n_features, models))
    }

    #[staticmethod]
    fn restore(py: Python, state: &[u8], genes: Read<Genes>, n_features: usize, workers: Py<Workers>) -> PyResult<Self> {
        Self::made(py, workers, || genes.0.restore(n_features, state))
    }

    fn dump(&self, py: Python) -> Vec<u8> {
        py.detach(|| self.inner.dump())
    }

    fn tune(&mut self, py: Python, data: &Dataset, tuning: Read<Tuning>) -> PyResult<()> {
        self.run(py, |population, stop| population.tune(&data.0, &tuning.0, stop))
    }

    fn tune_shared(&mut self, py: Python, data: &Dataset, tuning: Read<Tuning>) -> PyResult<()> {
        self.run(py, |population, stop| population.tune_shared(&data.0, &tuning.0, stop))
    }

    fn perturb_shared(&mut self, py: Python, sigma: f64, seeds: Vec<u64>) -> PyResult<()> {
        self.run(py, |population, _| population.perturb_shared(sigma, &seeds))
    }

    #[pyo3(signature = (data, selection=None))]
    fn evaluate<'py>(&mut self, py: Python<'py>, data: &Dataset, selection: Option<Read<Selection>>) -> PyResult<Measures<'py>> {
        let selection = selection.map(|selection| selection.0);
        let measured = self.run(py, |population, stop| population.measured(selection, &data.0, stop))?;
        let (fitness, complexity) = measured.map_err(refused)?;
        Ok((fitness.into_pyarray(py), complexity.into_pyarray(py)))
    }

    fn refine(
        &mut self,
        py: Python,
        data: &Dataset,
        refinement: Read<Refinement>,
        selection: Read<Selection>,
        race: Option<f64>,
        seeds: Seeds,
    ) -> PyResult<usize> {
        let refining = Refining::new(refinement.0, &selection.0, race).map_err(refused)?;
        self.run(py, |population, stop| population.refine(&data.0, &refining, &seeds, stop))
    }

    fn diversify(&mut self, py: Python, variation: Read<Variation>, seeds: Seeds) -> PyResult<()> {
        self.run(py, |population, _| population.diversify(&variation.0, &seeds))
    }

    fn forget(&mut self, py: Python) {
        py.detach(|| self.inner.forget());
    }

    fn plant(&mut self, py: Python, models: Models, first: usize) {
        let models = copies(&models);
        py.detach(|| self.inner.plant(models, first));
    }

    fn peaks<'py>(&self, py: Python<'py>) -> Array<'py> {
        self.inner.peaks().into_pyarray(py)
    }

    fn breed(&self, py: Python, parents: Pairs, elites: Vec<usize>, variation: Read<Variation>, seeds: Seeds) -> PyResult<Self> {
        let pair = |row: ArrayView1<u64>| (row[0] as usize, row[1] as usize);
        let pairs: Vec<_> = parents.as_array().rows().into_iter().map(pair).collect();
        self.beside(py, |population| population.breed(&pairs, &elites, &variation.0, &seeds))
    }

    fn neighbours(&self, py: Python, index: usize, seed: u64, first: usize, number: usize) -> PyResult<Self> {
        self.beside(py, |population| population.neighbours(index, seed, first, number))
    }

    fn model(&self, index: usize) -> PyResult<Individual> {
        self.inner.model(index).map(Individual).map_err(refused)
    }

    fn __len__(&self) -> usize {
        self.inner.individuals.len()
    }
}

impl Population {
    /// A population on these threads.
    fn made(py: Python, workers: Py<Workers>, make: impl FnOnce() -> Result<Individuals> + Send) -> PyResult<Self> {
        let inner = workers.get().run(py, |_| make())?;
        Ok(Self { inner, workers })
    }

    /// Another population on the same threads, made of this one.
    fn beside(&self, py: Python, make: impl FnOnce(&Individuals) -> Result<Individuals> + Send) -> PyResult<Self> {
        Self::made(py, self.workers.clone_ref(py), || make(&self.inner))
    }

    /// A verb on all individuals, in parallel and without the interpreter lock.
    fn run<R: Send>(&mut self, py: Python, verb: impl FnOnce(&mut Individuals, &AtomicBool) -> R + Send) -> PyResult<R> {
        let inner = &mut self.inner;
        self.workers.get().run(py, |stop| Ok(verb(inner, stop)))
    }
}

#[pyfunction]
pub fn sweep(py: Python, individuals: Models, data: &Dataset, workers: &Workers) -> PyResult<u64> {
    let individuals: Vec<_> = individuals.iter().map(|individual| &individual.get().0).collect();
    workers.run(py, |stop| population::sweep(&individuals, &data.0, stop))
}
