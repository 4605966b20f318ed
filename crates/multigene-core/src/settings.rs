//! Settings by name: one struct for each dataclass of `multigene.settings` that the engine reads, with the same fields.
//!
//! In come values as people set them (the dataclasses as JSON, read by the names of the fields here); out go the engine's own
//! forms. Defaults are the paper's (Table 2), and those of the default search for what is beyond the paper. What a
//! field means in full stands in `multigene.settings`.
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};
use crate::evaluate::criterion::Criterion;
use crate::evaluate::gradient::Tunable;
use crate::population::{Evaluation, Population};
use crate::tree::functions::FunctionSet;
use crate::tree::individual::Individual;
use crate::tree::operator::Operator;
use crate::tune::Rule;
use crate::tune::levenberg_marquardt::LevenbergMarquardt;
use crate::vary::grow::{Birth, LeafFrequencies, Limits, Primitives, Synchronisation};
use crate::vary::mutate::Mutation;

/// Settings from the JSON of their dataclass.
pub fn read<T: DeserializeOwned>(json: &str) -> Result<T> {
    serde_json::from_str(json).map_err(|error| Error::new(format!("The engine cannot read the settings {json}: {error}.")))
}

/// A function: name, definition if users define it, frequency.
pub type FunctionEntry = (String, Option<String>, f64);

/// What genes are made of and how large they may be.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Genes {
    /// Functions of inner nodes.
    pub functions: Vec<FunctionEntry>,
    /// `G_max`.
    pub max_genes: usize,
    /// `N_max`; None for no limit.
    pub max_nodes: Option<usize>,
    /// `D_max`; a single node has depth 1.
    pub max_depth: usize,
    /// Depth of the deepest tree of the first population; None for `max_depth`.
    pub initial_depth: Option<usize>,
    /// Depth of the deepest subtree that mutation inserts; None for `max_depth`.
    pub mutation_depth: Option<usize>,
    /// Frequency of variables; None counts each as one function.
    pub variable_frequency: Option<f64>,
    /// Frequency of LCFs; None counts each index as one function.
    pub lcf_frequency: Option<f64>,
    /// Frequency of product leaves.
    pub product_frequency: f64,
    /// Features that product leaves may use; None for all.
    pub product_features: Option<Vec<u32>>,
    /// Frequency of constants.
    pub constant_frequency: f64,
    /// Bounds of new constants.
    pub constant_range: (f64, f64),
    /// Who shares LCFs; None for no LCFs.
    pub lcf: Option<Synchronisation>,
    /// Weights of a new LCF.
    pub lcf_birth: Birth,
    /// Bounds of random LCF weights.
    pub lcf_range: (f64, f64),
    /// With sparse birth, the chance of an LCF over all features.
    pub lcf_dense: f64,
    /// Spread of every feature, in which random weights are measured; None for 1.
    pub feature_scales: Option<Vec<f64>>,
    /// Typical rows of features, by which the size of a subtree's values is told; None where it does not matter.
    pub typical_rows: Option<Vec<Vec<f64>>>,
    /// Chance that a new inner node carries weights of its own.
    pub weighted_nodes: f64,
    /// Fit outer coefficients, or add the genes as they are.
    pub fit_genes: bool,
    /// A gene whose part outside the others is no longer than this share of it gets coefficient 0.
    pub dependent_below: f64,
    /// Memory for columns of genes that breeding leaves alone.
    pub cache_megabytes: f64,
}

impl Default for Genes {
    fn default() -> Self {
        Self {
            functions: Operator::PAPER.iter().map(|op| (op.name(), None, 1.0)).collect(),
            max_genes: 10,
            max_nodes: None,
            max_depth: 11,
            initial_depth: None,
            mutation_depth: None,
            variable_frequency: None,
            lcf_frequency: None,
            product_frequency: 0.0,
            product_features: None,
            constant_frequency: 1.0,
            constant_range: (-10.0, 10.0),
            lcf: None,
            lcf_birth: Birth::OneHot,
            lcf_range: (-1.0, 1.0),
            lcf_dense: 0.5,
            feature_scales: None,
            typical_rows: None,
            weighted_nodes: 0.0,
            fit_genes: true,
            dependent_below: 1e-10,
            cache_megabytes: 256.0,
        }
    }
}

impl Genes {
    /// What genes of `n_features` features are made of.
    pub fn primitives(&self, n_features: usize) -> Result<Primitives> {
        // Without a frequency of their own, every variable and every LCF counts as much as one function.
        let each = n_features as f64;
        let all = || (0..n_features as u32).collect();
        Ok(Primitives {
            functions: FunctionSet::of(&self.functions)?,
            n_features,
            leaves: LeafFrequencies {
                variable: self.variable_frequency.unwrap_or(each),
                combination: self.lcf.map_or(0.0, |_| self.lcf_frequency.unwrap_or(each)),
                product: self.product_frequency,
                constant: self.constant_frequency,
            },
            product_features: self.product_features.clone().unwrap_or_else(all),
            constants: self.constant_range,
            birth: self.lcf_birth,
            birth_range: self.lcf_range,
            birth_dense: self.lcf_dense,
            scales: self.feature_scales.clone().unwrap_or_default(),
            typical: self.typical_rows.clone().unwrap_or_default(),
            synchronisation: self.lcf.unwrap_or(Synchronisation::Unsynchronised),
            weighted: self.weighted_nodes,
            initial_depth: self.initial_depth.unwrap_or(self.max_depth),
            mutation_depth: self.mutation_depth.unwrap_or(self.max_depth),
            limits: Limits {
                max_genes: self.max_genes,
                max_nodes: self.max_nodes.unwrap_or(usize::MAX),
                max_depth: self.max_depth,
            },
        })
    }

    /// A first population, one individual per seed.
    pub fn grow(&self, n_features: usize, seeds: &[u64]) -> Result<Population> {
        Ok(Population::grow(
            Arc::new(self.primitives(n_features)?),
            self.evaluation(),
            seeds,
        ))
    }

    /// A population of given models.
    pub fn population_of(&self, n_features: usize, models: Vec<Individual>) -> Result<Population> {
        Population::of_models(models, Arc::new(self.primitives(n_features)?), self.evaluation())
    }

    /// A population from what it wrote for a checkpoint.
    pub fn restore(&self, n_features: usize, state: &[u8]) -> Result<Population> {
        Population::restore(state, Arc::new(self.primitives(n_features)?), self.evaluation())
    }

    /// How individuals are evaluated.
    pub fn evaluation(&self) -> Evaluation {
        Evaluation {
            fit_genes: self.fit_genes,
            dependent_below: self.dependent_below,
            cache_bytes: (self.cache_megabytes * 1e6) as usize,
        }
    }
}

/// What makes one individual fitter than another.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Selection {
    /// Name of the criterion.
    pub criterion: String,
    /// Its price per parameter.
    pub parameter_price: f64,
    /// Its price per node.
    pub node_price: f64,
}

impl Selection {
    /// The criterion with its prices.
    pub fn criterion(&self) -> Result<Criterion> {
        Criterion::named(&self.criterion, self.parameter_price, self.node_price)
    }
}

/// How offspring differ from their parents.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Variation {
    /// `Pr_x`.
    pub crossover: f64,
    /// `Pr_m`.
    pub mutation: f64,
    /// `Pr_HLx`.
    pub high_level_crossover: f64,
    /// `r_HLx`.
    pub gene_selection: f64,
    /// `Pr_Cm`.
    pub constant_mutation: f64,
    /// `Pr_Wm`.
    pub weights_mutation: f64,
    /// `σ_Cm`.
    pub constant_sigma: f64,
    /// `σ_Wm`.
    pub weights_sigma: f64,
    /// Further kinds of mutation with their probabilities.
    pub more_mutations: Vec<(Mutation, f64)>,
}

impl Default for Variation {
    fn default() -> Self {
        Self {
            crossover: 0.84,
            mutation: 0.14,
            high_level_crossover: 0.2,
            gene_selection: 0.5,
            constant_mutation: 0.05,
            weights_mutation: 0.0,
            constant_sigma: 0.1,
            weights_sigma: 3.0,
            more_mutations: Vec::new(),
        }
    }
}

impl Variation {
    /// Kinds of mutation with their probabilities. Further kinds come out of the subtree mutation's share, `Pr_Sm`.
    pub fn mutations(&self) -> impl Iterator<Item = (Mutation, f64)> {
        let more: f64 = self.more_mutations.iter().map(|(_, frequency)| frequency).sum();
        let subtree = (1.0 - self.constant_mutation - self.weights_mutation - more).max(0.0);
        let paper = [
            (Mutation::Subtree, subtree),
            (Mutation::Constant, self.constant_mutation),
            (Mutation::Weights, self.weights_mutation),
        ];
        paper.into_iter().chain(self.more_mutations.iter().copied())
    }
}

/// Gradient tuning of inner weights (paper, section 3.2).
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(default)]
pub struct Tuning {
    /// The update rule.
    pub rule: Rule,
    /// `Bp_steps`: steps per generation, less the number of nodes.
    pub steps: usize,
    /// `Bp_min`: at least this many.
    pub min_steps: usize,
    /// Stop when R² changes by no more than this.
    pub tolerance: f64,
    /// Δ₀: the first step (Adam: the learning rate).
    pub initial_step: f64,
    /// η⁺: growth while the sign of the derivative stays.
    pub step_growth: f64,
    /// η⁻: shrinkage when it changes.
    pub step_shrinkage: f64,
    /// Δ_min.
    pub min_step: f64,
    /// Δ_max.
    pub max_step: f64,
    /// Tune plain constants as well.
    pub tune_constants: bool,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            rule: Rule::IRpropMinus,
            steps: 25,
            min_steps: 2,
            tolerance: 1e-10,
            initial_step: 0.1,
            step_growth: 1.2,
            step_shrinkage: 0.5,
            min_step: 1e-6,
            max_step: 50.0,
            tune_constants: false,
        }
    }
}

impl Tuning {
    /// Which weights are tuned.
    pub fn tunable(&self) -> Tunable {
        Tunable {
            constants: self.tune_constants,
            ..Tunable::ALL
        }
    }
}

/// Second-order tuning of every offspring.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct Refinement {
    /// Largest number of steps.
    pub iterations: usize,
    /// Dampings tried per step.
    pub tries: usize,
    /// Damping of the first step.
    pub damping: f64,
    /// Stop when a step lowers the error by no more than this share of it.
    pub gain: f64,
    /// Largest number of weights tuned together.
    pub max_parameters: usize,
    /// Price of the squared slopes of linear combinations.
    pub decay: f64,
    /// Largest magnitude of a weight; None for any.
    pub bound: Option<f64>,
    /// Chance that all genes are tuned together.
    pub all_genes: f64,
    /// LCF weights below this share of the largest are dropped if that makes the individual fitter.
    pub prune: f64,
}

impl Default for Refinement {
    fn default() -> Self {
        Self {
            iterations: 5,
            tries: 3,
            damping: 1e-2,
            gain: 1e-3,
            max_parameters: 96,
            decay: 1e-4,
            bound: None,
            all_genes: 0.0,
            prune: 0.02,
        }
    }
}

impl Refinement {
    /// Settings of the optimiser alone.
    pub fn optimiser(&self) -> LevenbergMarquardt {
        LevenbergMarquardt {
            max_iterations: self.iterations,
            tries: self.tries,
            damping: self.damping,
            tolerance: self.gain,
            max_parameters: self.max_parameters,
            decay: self.decay,
            bound: self.bound.unwrap_or(f64::INFINITY),
            ..LevenbergMarquardt::default()
        }
    }
}
