//! An individual: genes, their outer coefficients, and the table of inner weights they share.
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, shortened};
use crate::evaluate::column::Column;
use crate::evaluate::least_squares::Gram;
use crate::tree::functions::{CustomOperator, expand};
use crate::tree::gene::Node;
use crate::tree::text;
use crate::tree::weights::{BIAS, Weights};

/// One tree, and its column on the training rows while it is unchanged.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Gene {
    /// Postfix nodes.
    pub nodes: Vec<Node>,
    /// Standardised values on the training rows, if known.
    #[serde(skip)]
    pub column: Option<Arc<Column>>,
}

impl Gene {
    /// A gene that has not been evaluated.
    pub fn new(nodes: Vec<Node>) -> Self {
        Self { nodes, column: None }
    }
}

/// The best iterate of the last tuning when a later one was worse: the result of a run is the best ever seen.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Peak {
    /// The inner weights then.
    pub weights: Weights,
    /// The outer coefficients then.
    pub coefficients: Vec<f64>,
    /// The intercept then.
    pub intercept: f64,
    /// 1 − R² then.
    pub unexplained: f64,
}

/// A candidate model: y = intercept + Σ coefficient·gene.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Individual {
    /// The trees.
    pub genes: Vec<Gene>,
    /// The inner weights of all genes.
    pub weights: Weights,
    /// c0.
    pub intercept: f64,
    /// c1 … ck.
    pub coefficients: Vec<f64>,
    /// 1 − R² on the training rows; infinite when a gene has no finite value somewhere, NaN before evaluation.
    pub unexplained: f64,
    /// Inner products of the genes' columns, as far as known.
    #[serde(skip)]
    pub gram: Gram,
    /// Synchronised mode: the second set of weights of indices in conflict after breeding, as rows of this table.
    pub rivals: Option<Box<(Vec<u32>, Weights)>>,
    /// The gene that breeding changed, if one.
    pub fresh: Option<u32>,
    /// Best iterate of the last tuning, if better than the present weights.
    pub peak: Option<Box<Peak>>,
}

impl Individual {
    /// A model from the text of its genes, as `text::print` writes them, and its outer coefficients.
    pub fn parse(genes: &[String], intercept: f64, coefficients: Vec<f64>) -> Result<Self> {
        if genes.len() != coefficients.len() {
            return Err(Error::new(format!(
                "There are {} genes but {} coefficients.",
                genes.len(),
                coefficients.len()
            )));
        }
        let mut model = Self::empty(Weights::default());
        for gene in genes {
            let (nodes, weights) =
                text::parse(gene, &[]).map_err(|e| Error::new(format!("The gene {:?} cannot be read: {e}.", shortened(gene))))?;
            let nodes = nodes.iter().map(|node| model.adopt(*node, &weights)).collect();
            model.genes.push(Gene::new(nodes));
        }
        (model.intercept, model.coefficients) = (intercept, coefficients);
        Ok(model)
    }

    /// The genes as text that `parse` reads back without loss. For models on their own: no users' operators.
    pub fn texts(&self) -> Vec<String> {
        let print = |gene: &Gene| text::print(&gene.nodes, &self.weights, &[]);
        self.genes.iter().map(print).collect()
    }

    /// A node of another table of weights, with a copy of its row in this one; a shared constant with the row it has here.
    fn adopt(&mut self, node: Node, weights: &Weights) -> Node {
        if let Node::Constant(row) = node {
            let index = weights.row(row).index;
            if let Some(known) = self.weights.shared_constant(index).filter(|_| index != BIAS) {
                return Node::Constant(known);
            }
        }
        match node.row() {
            Some(row) => node.with_row(self.weights.push_copy(weights, row)),
            None => node,
        }
    }

    /// Without genes yet.
    pub fn empty(weights: Weights) -> Self {
        Self {
            genes: Vec::new(),
            weights,
            intercept: 0.0,
            coefficients: Vec::new(),
            unexplained: f64::NAN,
            gram: Gram::default(),
            rivals: None,
            fresh: None,
            peak: None,
        }
    }

    /// Has it been evaluated since it last changed?
    pub fn is_evaluated(&self) -> bool {
        !self.unexplained.is_nan()
    }

    /// Training R²; −∞ for an individual without a finite value somewhere.
    pub fn fitness(&self) -> f64 {
        1.0 - self.unexplained
    }

    /// Marks a gene as changed: its column and inner products are no longer known.
    pub fn touch(&mut self, gene: usize) {
        self.genes[gene].column = None;
        if gene < self.gram.len() {
            self.gram.forget(gene);
        }
        self.unexplained = f64::NAN;
    }

    /// Marks the genes that use one of these rows as changed.
    pub fn touch_rows(&mut self, changed: impl Fn(&Node) -> bool) {
        for i in 0..self.genes.len() {
            if self.genes[i].nodes.iter().any(&changed) {
                self.touch(i);
            }
        }
    }

    /// Forgets all that is known of the training rows, so that it can be evaluated on others.
    pub fn forget(&mut self) {
        for gene in &mut self.genes {
            gene.column = None;
        }
        self.gram = Gram::default();
        self.unexplained = f64::NAN;
    }

    /// A copy that knows its fitness and nothing else of the training rows: columns of very many rows would add up.
    #[must_use]
    pub fn without_columns(&self) -> Self {
        let mut model = self.clone();
        model.forget();
        model.unexplained = self.unexplained;
        model
    }

    /// A copy that stands on its own: best iterate, users' operators put in place, no columns, no unused rows.
    pub fn detach(&self, library: &[CustomOperator]) -> Self {
        let (weights, coefficients, intercept, unexplained) = match &self.peak {
            Some(peak) => (&peak.weights, &peak.coefficients, peak.intercept, peak.unexplained),
            None => (&self.weights, &self.coefficients, self.intercept, self.unexplained),
        };
        let mut model = Self::empty(Weights::default());
        for gene in &self.genes {
            let nodes: Vec<Node> = gene.nodes.iter().map(|node| model.adopt(*node, weights)).collect();
            let nodes = expand(&nodes, &mut model.weights, library);
            model.genes.push(Gene::new(nodes));
        }
        model.coefficients.clone_from(coefficients);
        model.intercept = intercept;
        model.unexplained = unexplained;
        model
    }

    /// Remembers the present weights as a peak if they are the best of this tuning so far.
    pub fn remember(&mut self) {
        let known = self.peak.as_ref().map_or(f64::INFINITY, |peak| peak.unexplained);
        if self.unexplained < known {
            self.peak = Some(Box::new(self.snapshot()));
        }
    }

    /// Forgets the peak where the present weights are as good.
    pub fn drop_lower_peak(&mut self) {
        let present = self.unexplained;
        self.peak = self.peak.take().filter(|peak| present.is_nan() || peak.unexplained < present);
    }

    /// The present weights and what they are worth.
    pub fn snapshot(&self) -> Peak {
        Peak {
            weights: self.weights.clone(),
            coefficients: self.coefficients.clone(),
            intercept: self.intercept,
            unexplained: self.unexplained,
        }
    }
}
