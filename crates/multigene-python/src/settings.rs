//! Settings: read from the attributes of the Python dataclasses of `multigene.settings`, handed to the engine.
use multigene_core::error::{Error, Result};
use multigene_core::evaluate::criterion::Criterion;
use multigene_core::evaluate::gradient::Tunable;
use multigene_core::population::Evaluation;
use multigene_core::tree::functions::FunctionSet;
use multigene_core::tune::levenberg_marquardt::LevenbergMarquardt;
use multigene_core::tune::refine::Refinement;
use multigene_core::tune::{GradientTuning, Rule, StepSizes};
use multigene_core::vary::Variation;
use multigene_core::vary::grow::{Birth, LeafFrequencies, Limits, Primitives, Synchronisation};
use multigene_core::vary::mutate::Mutation;
use pyo3::prelude::*;

use crate::convert::value_error;

/// A function as settings have it: name, definition if users define it, frequency.
type FunctionEntry = (String, Option<String>, f64);

fn function_set(entries: &[FunctionEntry]) -> Result<FunctionSet> {
    FunctionSet::parse(
        entries
            .iter()
            .map(|(name, definition, frequency)| (name.as_str(), definition.as_deref(), *frequency)),
    )
}

/// Refuses functions that are not known or cannot be read.
#[pyfunction]
pub fn check_functions(functions: Vec<FunctionEntry>) -> PyResult<()> {
    function_set(&functions).map(drop).map_err(value_error)
}

/// `multigene.settings.Genes`.
#[derive(FromPyObject)]
pub struct GeneSettings {
    functions: Vec<FunctionEntry>,
    max_genes: usize,
    max_nodes: Option<usize>,
    max_depth: usize,
    initial_depth: Option<usize>,
    mutation_depth: Option<usize>,
    variable_frequency: Option<f64>,
    lcf_frequency: Option<f64>,
    product_frequency: f64,
    product_features: Option<Vec<u32>>,
    constant_frequency: f64,
    constant_range: (f64, f64),
    lcf: Option<String>,
    lcf_birth: String,
    lcf_range: (f64, f64),
    lcf_dense: f64,
    weighted_nodes: f64,
    fit_genes: bool,
    cache_megabytes: f64,
}

impl GeneSettings {
    /// What genes of `n_features` features are made of.
    pub fn primitives(&self, n_features: usize) -> Result<Primitives> {
        let synchronisation = match self.lcf.as_deref() {
            None | Some("unsynchronised") => Synchronisation::Unsynchronised,
            Some("synchronised") => Synchronisation::Synchronised,
            Some("global") => Synchronisation::Global,
            Some(other) => {
                return Err(Error::new(format!(
                    "lcf={other:?} is not a mode; take \"unsynchronised\", \"synchronised\", \"global\" or None."
                )));
            }
        };
        let birth = match self.lcf_birth.as_str() {
            "one-hot" => Birth::OneHot,
            "random" => Birth::Uniform(self.lcf_range.0, self.lcf_range.1),
            "sparse" => Birth::Sparse(self.lcf_dense),
            "pairs" => Birth::Pairs,
            other => {
                return Err(Error::new(format!(
                    "lcf_birth={other:?} is not known; take \"one-hot\", \"random\", \"sparse\" or \"pairs\"."
                )));
            }
        };
        // Without a frequency of their own, every variable and every LCF counts as much as one function.
        let each = n_features as f64;
        let combination = if self.lcf.is_some() {
            self.lcf_frequency.unwrap_or(each)
        } else {
            0.0
        };
        Ok(Primitives {
            functions: function_set(&self.functions)?,
            n_features,
            leaves: LeafFrequencies {
                variable: self.variable_frequency.unwrap_or(each),
                combination,
                product: self.product_frequency,
                constant: self.constant_frequency,
            },
            product_features: self
                .product_features
                .clone()
                .unwrap_or_else(|| (0..n_features as u32).collect()),
            constants: self.constant_range,
            birth,
            synchronisation,
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

    /// How individuals are evaluated.
    pub fn evaluation(&self) -> Evaluation {
        Evaluation {
            fit_genes: self.fit_genes,
            cache_bytes: (self.cache_megabytes * 1e6) as usize,
        }
    }
}

/// `multigene.settings.Variation`.
#[derive(FromPyObject)]
pub struct VariationSettings {
    crossover: f64,
    mutation: f64,
    high_level_crossover: f64,
    gene_selection: f64,
    constant_mutation: f64,
    weights_mutation: f64,
    constant_sigma: f64,
    weights_sigma: f64,
    more_mutations: Vec<(String, f64)>,
}

impl VariationSettings {
    /// The engine's form. Further kinds of mutation come out of the subtree mutation's share.
    pub fn variation(self) -> Result<Variation> {
        let s = self;
        let more: f64 = s.more_mutations.iter().map(|(_, frequency)| frequency).sum();
        let subtree = (1.0 - s.constant_mutation - s.weights_mutation - more).max(0.0);
        let mut mutations = vec![
            (Mutation::Subtree, subtree),
            (Mutation::Constant, s.constant_mutation),
            (Mutation::Weights, s.weights_mutation),
        ];
        for (name, frequency) in s.more_mutations {
            let kind = Mutation::ALL.iter().find(|(known, _)| *known == name).map(|&(_, kind)| kind);
            let kinds = Mutation::ALL.map(|(known, _)| known).join(", ");
            let kind = kind.ok_or_else(|| Error::new(format!("There is no mutation {name:?}; take one of {kinds}.")))?;
            mutations.push((kind, frequency));
        }
        Ok(Variation {
            crossover: s.crossover,
            mutation: s.mutation,
            high_level: s.high_level_crossover,
            gene_selection: s.gene_selection,
            mutations,
            constant_sigma: s.constant_sigma,
            weights_sigma: s.weights_sigma,
        })
    }
}

/// `multigene.settings.Tuning`.
#[derive(FromPyObject)]
pub struct TuningSettings {
    rule: String,
    steps: usize,
    min_steps: usize,
    tolerance: f64,
    initial_step: f64,
    step_growth: f64,
    step_shrinkage: f64,
    min_step: f64,
    max_step: f64,
    tune_constants: bool,
}

impl TuningSettings {
    /// The engine's form.
    pub fn gradient(&self) -> Result<GradientTuning> {
        let rule = Rule::ALL.iter().find(|(name, _)| *name == self.rule).map(|&(_, rule)| rule);
        let names = Rule::ALL.map(|(name, _)| name).join(", ");
        Ok(GradientTuning {
            rule: rule.ok_or_else(|| Error::new(format!("There is no update rule {:?}; take one of {names}.", self.rule)))?,
            sizes: StepSizes {
                initial: self.initial_step,
                growth: self.step_growth,
                shrinkage: self.step_shrinkage,
                smallest: self.min_step,
                largest: self.max_step,
            },
            steps: self.steps,
            min_steps: self.min_steps,
            tolerance: self.tolerance,
            tunable: Tunable {
                constants: self.tune_constants,
                combinations: true,
                inner: true,
            },
        })
    }
}

/// Criterion of selection by name, with its prices.
pub fn criterion((name, first, second): &(String, f64, f64)) -> Result<Criterion> {
    match name.as_str() {
        "r2" => Ok(Criterion::R2),
        "gcv" => Ok(Criterion::Gcv(*first)),
        "bic" => Ok(Criterion::Bic),
        "compact" => Ok(Criterion::Compact(*first, *second)),
        other => Err(Error::new(format!(
            "There is no criterion {other:?}; take r2, gcv, bic or compact."
        ))),
    }
}

/// `multigene.settings.Refinement`.
#[derive(FromPyObject)]
pub struct RefinementSettings {
    iterations: usize,
    tries: usize,
    damping: f64,
    gain: f64,
    max_parameters: usize,
    decay: f64,
    bound: f64,
    all_genes: f64,
    prune: f64,
}

impl RefinementSettings {
    /// Settings of the optimiser alone.
    pub fn tuning(&self) -> LevenbergMarquardt {
        LevenbergMarquardt {
            max_iterations: self.iterations,
            tries: self.tries,
            damping: self.damping,
            tolerance: self.gain,
            max_parameters: self.max_parameters,
            decay: self.decay,
            bound: self.bound,
            ..LevenbergMarquardt::default()
        }
    }

    /// The engine's form.
    pub fn refinement(&self, criterion: Criterion, race: Option<f64>) -> Refinement {
        Refinement {
            tuning: self.tuning(),
            all_genes: self.all_genes,
            criterion,
            race,
            prune: self.prune,
        }
    }
}
