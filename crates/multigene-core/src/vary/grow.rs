//! Random genes: full, grow, ramped half-and-half.
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::Deserialize;

use crate::tree::functions::FunctionSet;
use crate::tree::gene::{self, Function, Node};
use crate::tree::individual::{Gene, Individual};
use crate::tree::weights::{BIAS, OWN_VALUE, Weights};

/// The random generator of one slot: portable, so that a seed means the same everywhere.
pub type SlotRng = rand_pcg::Pcg64Mcg;

/// How often a duplicate is drawn again before it is accepted.
const REDRAWS: usize = 10;

/// Structural limits of an individual (paper, Table 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// `G_max`.
    pub max_genes: usize,
    /// `N_max`; `usize::MAX` for no limit.
    pub max_nodes: usize,
    /// `D_max`; a single node has depth 1.
    pub max_depth: usize,
}

/// How many individuals share an LCF's weights (paper, section 3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Synchronisation {
    /// U: every LCF on its own.
    Unsynchronised,
    /// S: one LCF per index and individual.
    Synchronised,
    /// G: one LCF per index for the whole population.
    Global,
}

/// Weights of a new LCF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Birth {
    /// 1 on the feature of its index, all others 0 (paper, section 3.1).
    OneHot,
    /// All weights uniform within bounds (paper, footnote 1).
    Random,
    /// A few features only, the rest absent, or dense with normal weights.
    Sparse,
    /// A pair x_i ± x_j, one variable with a bias, or dense with normal weights (law search).
    Pairs,
    /// One feature, sometimes a second one or a bias, with normal weights in units of the features' spread (short formulas).
    Scaled,
}

/// Relative frequencies of the kinds of leaf, comparable with those of the functions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeafFrequencies {
    /// All variables together.
    pub variable: f64,
    /// All LCFs together.
    pub combination: f64,
    /// Product leaves.
    pub product: f64,
    /// Constants.
    pub constant: f64,
}

/// What genes are made of, and how large they may be.
#[derive(Clone, Debug)]
pub struct Primitives {
    /// Functions for inner nodes.
    pub functions: FunctionSet,
    /// Number of features.
    pub n_features: usize,
    /// Frequencies of leaves.
    pub leaves: LeafFrequencies,
    /// Features that product leaves may use: those of one sign.
    pub product_features: Vec<u32>,
    /// Bounds of new constants.
    pub constants: (f64, f64),
    /// Weights of new LCFs.
    pub birth: Birth,
    /// Bounds of random weights.
    pub birth_range: (f64, f64),
    /// With sparse birth, the chance to be dense.
    pub birth_dense: f64,
    /// Spread of every feature, in which random weights are measured; 1 beyond the end.
    pub scales: Vec<f64>,
    /// Typical rows of features, by which the size of a subtree's values is told; none where it does not matter.
    pub typical: Vec<Vec<f64>>,
    /// Who shares LCFs.
    pub synchronisation: Synchronisation,
    /// Chance that a new inner node carries weights of its own.
    pub weighted: f64,
    /// Depth of the deepest tree of the initial population.
    pub initial_depth: usize,
    /// Depth of the deepest subtree that mutation inserts.
    pub mutation_depth: usize,
    /// Structural limits.
    pub limits: Limits,
}

/// The two ways to grow a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Functions and leaves in any mixture above the last level.
    Grow,
    /// Functions only above the last level.
    Full,
}

impl Primitives {
    /// Are LCFs among the leaves?
    pub fn has_combinations(&self) -> bool {
        self.leaves.combination > 0.0
    }

    /// Do LCF nodes share rows by index?
    pub fn shares_rows(&self) -> bool {
        self.synchronisation != Synchronisation::Unsynchronised && self.has_combinations()
    }

    /// The table a new individual starts with: in the synchronised modes one LCF per index.
    pub fn new_weights(&self, rng: &mut SlotRng) -> Weights {
        let mut weights = Weights::default();
        if self.shares_rows() {
            for index in 0..self.n_features as u32 {
                let terms = self.new_combination(index, rng);
                // Sets of weights meet term by term, so here even a sparse one names every feature.
                let weight = |feature| terms.iter().find(|term| term.0 == feature).map_or(0.0, |term| term.1);
                weights.push(
                    index,
                    std::iter::once(BIAS).chain(0..self.n_features as u32).map(|f| (f, weight(f))),
                );
            }
        }
        weights
    }

    /// Terms of a new LCF.
    pub fn new_combination(&self, index: u32, rng: &mut SlotRng) -> Vec<(u32, f64)> {
        let features = self.n_features as u32;
        match self.birth {
            Birth::OneHot => {
                let slopes = (0..features).map(|feature| (feature, f64::from(u8::from(feature == index))));
                std::iter::once((BIAS, 0.0)).chain(slopes).collect()
            }
            Birth::Random => std::iter::once(BIAS)
                .chain(0..features)
                .map(|f| (f, between(rng, self.birth_range.0, self.birth_range.1)))
                .collect(),
            Birth::Pairs => {
                let draw: f64 = rng.random();
                if draw < 0.3 {
                    let mut normal = || rng.sample::<f64, _>(StandardNormal);
                    return std::iter::once(BIAS).chain(0..features).map(|f| (f, normal())).collect();
                }
                if draw < 0.6 || features < 2 {
                    return vec![(BIAS, rng.sample(StandardNormal)), (index, 1.0)];
                }
                let other = (index + 1 + rng.random_range(0..features - 1)) % features;
                vec![(index, 1.0), (other, if rng.random_bool(0.7) { -1.0 } else { 1.0 })]
            }
            Birth::Scaled => {
                let mut terms = vec![(index, self.weight(index, rng))];
                if features > 1 && rng.random_bool(0.25) {
                    let other = (index + 1 + rng.random_range(0..features - 1)) % features;
                    terms.push((other, self.weight(other, rng)));
                } else if rng.random_bool(0.5) {
                    terms.insert(0, (BIAS, rng.sample(StandardNormal)));
                }
                terms
            }
            Birth::Sparse => {
                if rng.random_bool(self.birth_dense) {
                    let mut normal = || rng.sample::<f64, _>(StandardNormal);
                    return std::iter::once(BIAS).chain(0..features).map(|f| (f, normal())).collect();
                }
                let mut terms = vec![(BIAS, 0.0), (index, 1.0)];
                while terms.len() <= self.n_features && rng.random_bool(0.5) {
                    let feature = rng.random_range(0..features);
                    if terms.iter().all(|&(f, _)| f != feature) {
                        terms.push((feature, rng.sample(StandardNormal)));
                    }
                }
                terms
            }
        }
    }

    /// A normal weight of a feature, or of a bias, in units of its spread.
    pub fn weight(&self, feature: u32, rng: &mut SlotRng) -> f64 {
        let scale = self.scales.get(feature as usize).copied().unwrap_or(1.0);
        rng.sample::<f64, _>(StandardNormal) / scale
    }

    /// A random leaf.
    pub fn leaf(&self, weights: &mut Weights, rng: &mut SlotRng) -> Node {
        let f = &self.leaves;
        let u = rng.random::<f64>() * (f.variable + f.combination + f.product + f.constant);
        let feature = rng.random_range(0..self.n_features.max(1) as u32);
        if self.n_features == 0 || u < f.constant {
            return Node::Constant(weights.push_constant(between(rng, self.constants.0, self.constants.1)));
        }
        if u < f.constant + f.variable {
            return Node::Variable(feature);
        }
        if u < f.constant + f.variable + f.product && !self.product_features.is_empty() {
            return Node::Product(weights.push(feature, product_terms(&self.product_features, rng)));
        }
        if self.shares_rows() {
            return Node::Combination(feature);
        }
        let terms = self.new_combination(feature, rng);
        Node::Combination(weights.push(feature, terms))
    }

    fn function(&self, weights: &mut Weights, rng: &mut SlotRng) -> Node {
        let function = self.functions.functions[pick(&self.functions.frequencies, rng)];
        self.inner(function, weights, rng)
    }

    /// An inner node of this function, with weights of its own if so drawn.
    pub fn inner(&self, function: Function, weights: &mut Weights, rng: &mut SlotRng) -> Node {
        if self.weighted > 0.0 && rng.random_bool(self.weighted) {
            return Node::Weighted(function, weights.push(BIAS, [(BIAS, 0.0), (OWN_VALUE, 1.0)]));
        }
        Node::Apply(function)
    }

    /// Appends a random tree of at most `depth` levels.
    pub fn tree(&self, shape: Shape, depth: usize, nodes: &mut Vec<Node>, weights: &mut Weights, rng: &mut SlotRng) {
        let f = &self.leaves;
        let leaves = f.variable + f.combination + f.product + f.constant;
        let functions: f64 = self.functions.frequencies.iter().sum();
        let ends = depth <= 1 || (shape == Shape::Grow && rng.random::<f64>() * (leaves + functions) < leaves);
        if ends {
            nodes.push(self.leaf(weights, rng));
            return;
        }
        let inner = self.function(weights, rng);
        for _ in 0..inner.arity() {
            self.tree(shape, depth - 1, nodes, weights, rng);
        }
        nodes.push(inner);
    }

    /// A tree within a number of nodes: drawn again with less depth until it fits.
    pub fn tree_within(
        &self,
        shape: Shape,
        depth: usize,
        max_nodes: usize,
        weights: &mut Weights,
        rng: &mut SlotRng,
    ) -> Vec<Node> {
        let mut depth = depth.max(1);
        loop {
            let mut nodes = Vec::new();
            self.tree(shape, depth, &mut nodes, weights, rng);
            if nodes.len() <= max_nodes || depth == 1 {
                return nodes;
            }
            depth -= 1;
        }
    }

    /// Individual of slot `slot`: ramped half-and-half over depths, a uniform number of different genes.
    pub fn individual(&self, slot: usize, rng: &mut SlotRng) -> Individual {
        let levels = self.initial_depth.min(self.limits.max_depth).max(1);
        let depth = 1 + slot % levels;
        // Both ways in turn, from depth to depth and from round to round: they are even at every depth, and over all depths even
        // where the last round is not complete.
        let shape = if (slot / levels + slot % levels).is_multiple_of(2) {
            Shape::Grow
        } else {
            Shape::Full
        };
        let mut individual = Individual::empty(self.new_weights(rng));
        let genes = rng.random_range(1..=self.limits.max_genes as u32);
        for _ in 0..genes {
            let mut nodes = self.tree_within(shape, depth, self.limits.max_nodes, &mut individual.weights, rng);
            for _ in 0..REDRAWS {
                let weights = &individual.weights;
                if !individual
                    .genes
                    .iter()
                    .any(|other| gene::same(&other.nodes, weights, &nodes, weights))
                {
                    break;
                }
                nodes = self.tree_within(shape, depth, self.limits.max_nodes, &mut individual.weights, rng);
            }
            individual.genes.push(Gene::new(nodes));
        }
        individual
    }
}

/// Number of an entry, drawn by relative frequency.
pub fn pick(frequencies: &[f64], rng: &mut SlotRng) -> usize {
    let mut draw = rng.random::<f64>() * frequencies.iter().sum::<f64>();
    for (i, frequency) in frequencies.iter().enumerate() {
        if draw < *frequency {
            return i;
        }
        draw -= frequency;
    }
    frequencies.len() - 1
}

/// Uniform between two bounds, which may be equal.
pub fn between(rng: &mut SlotRng, low: f64, high: f64) -> f64 {
    low + (high - low) * rng.random::<f64>()
}

/// A new product leaf: its own feature and perhaps others with small whole or half exponents.
fn product_terms(features: &[u32], rng: &mut SlotRng) -> Vec<(u32, f64)> {
    const EXPONENTS: [f64; 6] = [-2.0, -1.0, -0.5, 0.5, 1.0, 2.0];
    const SCALES: [f64; 5] = [1.0, 0.5, 2.0, -1.0, 3.0];
    let mut any = |n: usize| rng.random_range(0..n as u32) as usize;
    let mut terms = vec![(BIAS, SCALES[any(5)]), (features[any(features.len())], EXPONENTS[any(6)])];
    while terms.len() <= features.len() && any(2) == 0 {
        let other = features[any(features.len())];
        if terms.iter().all(|&(f, _)| f != other) {
            terms.push((other, EXPONENTS[any(6)]));
        }
    }
    terms
}
