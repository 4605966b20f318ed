//! A population and its verbs: grow, tune, evaluate, breed. Each works on all individuals in parallel; what an individual
//! becomes depends on its own seed and parents alone, so the number of threads changes nothing but the time.
use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rand::{RngExt, SeedableRng};
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::evaluate::criterion::Criterion;
use crate::evaluate::dataset::Dataset;
use crate::evaluate::outer_fit::{Context, Workspace};
use crate::settings::{Selection, Tuning, Variation};
use crate::tree::functions::CustomOperator;
use crate::tree::individual::Individual;
use crate::tree::weights::Weights;
use crate::tree::{saved, text};
use crate::tune;
use crate::tune::refine::{Refining, refine};
use crate::vary::grow::{Primitives, SlotRng, Synchronisation};
use crate::vary::mutate::mutate;
use crate::vary::neighbours::neighbours;
use crate::vary::offspring;
use crate::vary::synchronise::resolve;

mod shared;

thread_local! {
    static WORKSPACE: RefCell<Workspace> = RefCell::default();
}

/// Lends the thread's buffers. What is left of a data set in them is dropped, so that it does not outlive the data.
fn with_workspace<R>(verb: impl FnOnce(&mut Workspace) -> R) -> R {
    WORKSPACE.with_borrow_mut(|workspace| {
        workspace.roughly = true;
        let result = verb(workspace);
        workspace.working = None;
        result
    })
}

/// How individuals are turned into models and how much memory may be spent on not evaluating twice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation {
    /// Fit outer coefficients (paper), or add the genes as they are.
    pub fit_genes: bool,
    /// A gene whose part outside the others is no longer than this share of it gets coefficient 0.
    pub dependent_below: f64,
    /// Bytes for columns of genes that breeding leaves alone.
    pub cache_bytes: usize,
}

/// Individuals of one generation and what they are made of.
#[derive(Clone, Debug)]
pub struct Population {
    /// The individuals; elites first after breeding.
    pub individuals: Vec<Individual>,
    primitives: Arc<Primitives>,
    evaluation: Evaluation,
    /// Globally synchronised mode: the LCFs of all individuals.
    shared: Option<Weights>,
}

impl Population {
    /// The initial population, one individual per seed: ramped half-and-half, duplicates drawn again.
    pub fn grow(primitives: Arc<Primitives>, evaluation: Evaluation, seeds: &[u64]) -> Self {
        let grown = |(slot, &seed): (usize, &u64)| primitives.individual(slot, &mut SlotRng::seed_from_u64(seed));
        let mut individuals: Vec<Individual> = seeds.par_iter().enumerate().map(grown).collect();
        let mut seen = HashSet::new();
        for (slot, individual) in individuals.iter_mut().enumerate() {
            let mut rng = SlotRng::seed_from_u64(seeds[slot] ^ 0x9e37_79b9_7f4a_7c15);
            for _ in 0..10 {
                if seen.insert(signature(individual, &primitives.functions.library)) {
                    break;
                }
                *individual = primitives.individual(slot, &mut rng);
            }
        }
        let shared = (primitives.synchronisation == Synchronisation::Global && primitives.has_combinations())
            .then(|| primitives.new_weights(&mut SlotRng::seed_from_u64(seeds.first().copied().unwrap_or(0))));
        Self::of(individuals, primitives, evaluation, shared)
    }

    /// A population of given individuals, e.g. one that was saved. `shared` are the LCFs of all in globally synchronised mode.
    pub fn of(
        individuals: Vec<Individual>,
        primitives: Arc<Primitives>,
        evaluation: Evaluation,
        shared: Option<Weights>,
    ) -> Self {
        let mut population = Self {
            individuals,
            primitives,
            evaluation,
            shared,
        };
        population.mirror_shared();
        population
    }

    /// A population of models on their own.
    pub fn of_models(individuals: Vec<Individual>, primitives: Arc<Primitives>, evaluation: Evaluation) -> Result<Self> {
        if primitives.shares_rows() {
            return Err(Error::new(
                "Given individuals cannot be put into a population with synchronised LCFs.",
            ));
        }
        Ok(Self::of(individuals, primitives, evaluation, None))
    }

    /// A population from what `dump` wrote.
    pub fn restore(state: &[u8], primitives: Arc<Primitives>, evaluation: Evaluation) -> Result<Self> {
        let (individuals, shared): (Vec<Individual>, Option<Weights>) = saved::restore(state)?;
        let (n, library) = (primitives.n_features, &primitives.functions.library);
        if !individuals.iter().all(|individual| individual.is_sound(n, library)) {
            return Err(saved::damaged());
        }
        Ok(Self::of(individuals, primitives, evaluation, shared))
    }

    /// The whole state, for a checkpoint.
    pub fn dump(&self) -> Vec<u8> {
        saved::dump(&(&self.individuals, &self.shared))
    }

    /// The LCFs of all individuals in globally synchronised mode.
    pub fn shared(&self) -> Option<&Weights> {
        self.shared.as_ref()
    }

    /// What individuals are made of.
    pub fn primitives(&self) -> &Primitives {
        &self.primitives
    }

    fn context<'a>(&'a self, data: &'a Dataset) -> Context<'a> {
        Context {
            data,
            library: &self.primitives.functions.library,
            fit_genes: self.evaluation.fit_genes,
            dependent_below: self.evaluation.dependent_below,
        }
    }

    /// Applies a verb to every individual in parallel; those after a stop are left as they are.
    fn for_each(&mut self, data: &Dataset, stop: &AtomicBool, verb: impl Fn(&mut Individual, Context, &mut Workspace) + Sync) {
        let kept = self.columns_kept(data);
        let mut individuals = std::mem::take(&mut self.individuals);
        let context = self.context(data);
        individuals.par_iter_mut().for_each(|individual| {
            if !stop.load(Ordering::Relaxed) {
                with_workspace(|workspace| verb(individual, context, workspace));
                // At once, not after the whole population: on a million rows its columns together would be gigabytes.
                individual.genes.iter_mut().skip(kept).for_each(|gene| gene.column = None);
            }
        });
        self.individuals = individuals;
    }

    /// Columns each individual may keep within the byte budget: the same number for all, so that nothing depends on order or
    /// threads.
    fn columns_kept(&self, data: &Dataset) -> usize {
        self.evaluation.cache_bytes / self.individuals.len().max(1) / (data.padded() * size_of::<f64>()).max(1)
    }

    /// Outer coefficients and fitness of all individuals that changed.
    pub fn evaluate(&mut self, data: &Dataset, stop: &AtomicBool) {
        self.for_each(data, stop, |individual, context, workspace| {
            if !individual.is_evaluated() || individual.rivals.is_some() {
                resolve(individual, context, workspace);
            }
        });
    }

    /// Evaluation of all individuals, and what `measures` says of them: by R² where there is no criterion.
    pub fn measured(&mut self, by: Option<Selection>, data: &Dataset, stop: &AtomicBool) -> Result<(Vec<f64>, Vec<u64>)> {
        let criterion = by.map_or(Ok(Criterion::R2), |selection| selection.criterion())?;
        self.evaluate(data, stop);
        Ok(self.measures(criterion, data))
    }

    /// Fitness of every individual by a criterion on these rows (−∞ before evaluation), and its complexity.
    pub fn measures(&self, criterion: Criterion, data: &Dataset) -> (Vec<f64>, Vec<u64>) {
        let n = data.count();
        let fitness = |individual: &Individual| {
            if individual.is_evaluated() {
                criterion.fitness(individual, n)
            } else {
                f64::NEG_INFINITY
            }
        };
        let of = |individual: &Individual| (fitness(individual), data.complexity(individual) as u64);
        self.individuals.iter().map(of).unzip()
    }

    /// Best R² of every individual during its last tuning; −∞ before evaluation.
    pub fn peaks(&self) -> Vec<f64> {
        let peak = |individual: &Individual| match &individual.peak {
            Some(peak) => 1.0 - peak.unexplained,
            None if individual.is_evaluated() => individual.fitness(),
            None => f64::NEG_INFINITY,
        };
        self.individuals.iter().map(peak).collect()
    }

    /// Gradient tuning of all individuals (paper, section 3.2), then their evaluation.
    pub fn tune(&mut self, data: &Dataset, tuning: &Tuning, stop: &AtomicBool) {
        self.for_each(data, stop, |individual, context, workspace| {
            // Tuning starts from the residual, which evaluation leaves in the workspace.
            individual.unexplained = f64::NAN;
            resolve(individual, context, workspace);
            tune::tune(individual, context, tuning, workspace, stop);
        });
    }

    /// Second-order tuning of the individuals that changed: the gene that breeding changed (any gene where none did), all genes
    /// with some probability, hopeless ones given up after the first step, and weights dropped that earn nothing.
    /// Returns the number of evaluations.
    pub fn refine(&mut self, data: &Dataset, refining: &Refining, seeds: &[u64], stop: &AtomicBool) -> usize {
        let kept = self.columns_kept(data);
        let mut individuals = std::mem::take(&mut self.individuals);
        let context = self.context(data);
        let refined = |(individual, &seed): (&mut Individual, &u64)| {
            if stop.load(Ordering::Relaxed) || individual.is_evaluated() {
                return 0;
            }
            let evaluations = with_workspace(|workspace| refine(individual, context, refining, workspace, seed, stop));
            individual.genes.iter_mut().skip(kept).for_each(|gene| gene.column = None);
            evaluations
        };
        let evaluations = individuals.par_iter_mut().zip(seeds).map(refined).sum();
        self.individuals = individuals;
        evaluations
    }

    /// Replaces individuals whose structure an earlier one has already by mutants of theirs, a few times at most.
    pub fn diversify(&mut self, variation: &Variation, seeds: &[u64]) {
        let mut seen = HashSet::new();
        for (individual, &seed) in self.individuals.iter_mut().zip(seeds) {
            let mut rng = SlotRng::seed_from_u64(seed);
            for _ in 0..3 {
                if seen.insert(individual.structure()) {
                    break;
                }
                *individual = mutate(individual, &self.primitives, variation, &mut rng);
            }
        }
    }

    /// Forgets what was computed on other rows: every individual is to be evaluated anew.
    pub fn forget(&mut self) {
        self.individuals.iter_mut().for_each(Individual::forget);
    }

    /// Puts given models into the first slots after the elites, e.g. the linear model or migrants from another island.
    pub fn plant(&mut self, models: Vec<Individual>, first: usize) {
        for (slot, model) in self.individuals.iter_mut().skip(first).zip(models) {
            *slot = model;
            slot.forget();
        }
    }

    /// The next generation: elites as they are, then one offspring per pair of parents and seed.
    pub fn breed(&self, parents: &[(usize, usize)], elites: &[usize], variation: &Variation, seeds: &[u64]) -> Result<Self> {
        self.check_breeding(parents, elites, seeds)?;
        let mut individuals: Vec<Individual> = elites.iter().map(|&i| self.individuals[i].clone()).collect();
        for elite in &mut individuals {
            elite.peak = None;
        }
        individuals.par_extend(parents.par_iter().zip(seeds).map(|(&(first, second), &seed)| {
            offspring(
                &self.individuals[first],
                &self.individuals[second],
                &self.primitives,
                variation,
                seed,
            )
        }));
        Ok(self.with_individuals(individuals))
    }

    /// Others of the same kind.
    fn with_individuals(&self, individuals: Vec<Individual>) -> Self {
        Self {
            individuals,
            primitives: Arc::clone(&self.primitives),
            evaluation: self.evaluation,
            shared: self.shared.clone(),
        }
    }

    /// Neighbours of individual `i` (`neighbours.rs`) as a population, in an order drawn by the seed: at most `number` of them,
    /// from the one of number `first` on.
    pub fn neighbours(&self, i: usize, seed: u64, first: usize, number: usize) -> Result<Self> {
        let mut all = neighbours(self.individual(i)?, &self.primitives);
        let mut rng = SlotRng::seed_from_u64(seed);
        for k in (1..all.len()).rev() {
            all.swap(k, rng.random_range(0..=k as u32) as usize);
        }
        Ok(self.with_individuals(all.into_iter().skip(first).take(number).collect()))
    }

    /// An individual by its number.
    fn individual(&self, i: usize) -> Result<&Individual> {
        let size = self.individuals.len();
        let refused = || Error::new(format!("There is no individual {i} in a population of {size}."));
        self.individuals.get(i).ok_or_else(refused)
    }

    /// Refuses parents and elites that are not there, and seeds that are not one per pair.
    fn check_breeding(&self, parents: &[(usize, usize)], elites: &[usize], seeds: &[u64]) -> Result<()> {
        let size = self.individuals.len();
        let mut named = parents.iter().flat_map(|&(a, b)| [a, b]).chain(elites.iter().copied());
        if parents.len() == seeds.len() && named.all(|i| i < size) {
            return Ok(());
        }
        Err(Error::new(format!(
            "Parents and elites must be among the {size} individuals, with one seed per pair."
        )))
    }

    /// The model of slot `i` on its own.
    pub fn model(&self, i: usize) -> Result<Individual> {
        Ok(self.individual(i)?.detach(&self.primitives.functions.library))
    }
}

/// Evaluates every gene of every individual on every row, keeping nothing: the bare forward sweep, for measurements.
/// Returns the number of node evaluations, which falls short after a stop.
pub fn sweep(individuals: &[&Individual], data: &Dataset, stop: &AtomicBool) -> Result<u64> {
    individuals
        .iter()
        .try_for_each(|individual| individual.check_features(data.n_features()))?;
    let genes: Vec<(&Individual, usize)> = individuals
        .iter()
        .flat_map(|&i| (0..i.genes.len()).map(move |g| (i, g)))
        .collect();
    let context = Context::of(data);
    let one = |&(individual, gene): &(&Individual, usize)| {
        if stop.load(Ordering::Relaxed) {
            return 0;
        }
        with_workspace(|workspace| std::hint::black_box(individual.raw_column(gene, context, workspace)));
        (individual.genes[gene].nodes.len() * data.rows()) as u64
    };
    Ok(genes.par_iter().map(one).sum())
}

/// What makes two individuals duplicates: the text of their genes.
fn signature(individual: &Individual, library: &[CustomOperator]) -> String {
    let texts: Vec<String> = individual
        .genes
        .iter()
        .map(|gene| text::print(&gene.nodes, &individual.weights, library))
        .collect();
    texts.join("\n")
}
