//! An individual: genes, their outer coefficients, and the table of inner weights they share.
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::aligned::Aligned;
use crate::dataset::{Column, Dataset};
use crate::error::{Error, Result, shortened};
use crate::evaluate::{Scratch, evaluate};
use crate::functions::{CustomOperator, expand};
use crate::gene::Node;
use crate::gradient::{Kept, Tape};
use crate::least_squares::{Gram, leave, solve};
use crate::program::Program;
use crate::rows;
use crate::text;
use crate::weights::Weights;

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

/// The best iterate of the last tuning when a later one was worse: the result of a run is the best ever seen (METHOD).
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

/// Buffers of one thread.
#[derive(Debug, Default)]
pub struct Workspace {
    /// For forward sweeps.
    pub scratch: Scratch,
    /// For reverse sweeps.
    pub tape: Tape,
    /// Results of all steps, one entry per gene, during gradient tuning.
    pub kept: Vec<Kept>,
    /// What the last evaluated individual leaves unexplained, standardised.
    pub residual: Vec<f64>,
    /// Derivatives of half the squared error by every weight.
    pub gradient: Vec<f64>,
    /// Derivative of the error by a gene's value, row by row.
    pub seed: Vec<f64>,
    /// For second-order tuning.
    pub second_order: crate::tune::levenberg_marquardt::Buffers,
}

/// What evaluating needs besides the individual.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The training rows.
    pub data: &'a Dataset,
    /// The users' operators.
    pub library: &'a [CustomOperator],
    /// Are outer coefficients fitted, or all genes added as they are?
    pub fit_genes: bool,
}

impl<'a> Context<'a> {
    /// For models on their own: no users' operators, outer coefficients fitted.
    pub fn of(data: &'a Dataset) -> Self {
        Self {
            data,
            library: &[],
            fit_genes: true,
        }
    }
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

    /// A node of another table of weights, with a copy of its row in this one.
    fn adopt(&mut self, node: Node, weights: &Weights) -> Node {
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

    /// Columns of changed genes, missing inner products, outer coefficients, 1 − R². Leaves the residual in the workspace.
    pub fn evaluate(&mut self, context: Context, workspace: &mut Workspace) {
        let data = context.data;
        if self.gram.len() != self.genes.len() {
            self.gram = Gram::unknown(self.genes.len());
        }
        for i in 0..self.genes.len() {
            if self.genes[i].column.is_none() && !self.prepare_column(i, context, workspace) {
                return self.mark_unfit();
            }
        }
        let columns: Vec<Arc<Column>> = self.genes.iter().filter_map(|gene| gene.column.clone()).collect();
        let columns: Vec<&Column> = columns.iter().map(Arc::as_ref).collect();
        if context.fit_genes {
            self.gram.complete(&columns, data);
            let fit = solve(&self.gram, &columns, data, &mut workspace.residual);
            self.take_coefficients(&fit.coefficients, &columns, data);
            self.unexplained = fit.unexplained * data.share();
            // Units so far apart that a coefficient vanishes: what was fitted cannot be written down.
            let vanished = |(c, standardised): (&f64, &f64)| c.abs() < f64::MIN_POSITIVE && standardised.abs() > 1e-12;
            if self.coefficients.iter().zip(&fit.coefficients).any(vanished) {
                return self.mark_unfit();
            }
        } else {
            self.add_up(&columns, data, workspace);
        }
        let finite = self.intercept.is_finite() && self.coefficients.iter().all(|c| c.is_finite());
        if !self.unexplained.is_finite() || !finite {
            self.mark_unfit();
        }
    }

    /// Computes the standardised column of a gene; false if a value is not finite.
    pub fn prepare_column(&mut self, gene: usize, context: Context, workspace: &mut Workspace) -> bool {
        let raw = self.raw_column(gene, context, workspace);
        self.genes[gene].column = context.data.standardise(raw).map(Arc::new);
        self.genes[gene].column.is_some()
    }

    /// Values of a gene on the (padded) rows.
    pub fn raw_column(&self, gene: usize, context: Context, workspace: &mut Workspace) -> Aligned {
        let program = Program::compile(&self.genes[gene].nodes, &self.weights, context.library);
        let mut raw = Aligned::zeros(context.data.padded());
        evaluate(&program, &self.weights, context.data, &mut workspace.scratch, &mut raw);
        raw
    }

    /// From standardised columns and target to the user's.
    fn take_coefficients(&mut self, standardised: &[f64], columns: &[&Column], data: &Dataset) {
        let target = data.target();
        self.coefficients = standardised
            .iter()
            .zip(columns)
            .map(|(c, column)| if *c == 0.0 { 0.0 } else { c * (target.norm / column.norm) })
            .collect();
        self.intercept = target.mean
            - self
                .coefficients
                .iter()
                .zip(columns)
                .map(|(c, column)| c * column.mean)
                .sum::<f64>();
    }

    /// Models without the outer fit: the genes as they are, added.
    fn add_up(&mut self, columns: &[&Column], data: &Dataset, workspace: &mut Workspace) {
        let target = data.target();
        let scale = if target.norm > 0.0 { target.norm } else { 1.0 };
        let standardised: Vec<f64> = columns.iter().map(|column| column.norm / scale).collect();
        let centred = leave(&standardised, columns, data, &mut workspace.residual);
        let offset = (target.mean - columns.iter().map(|column| column.mean).sum::<f64>()) / scale;
        for (k, r) in workspace.residual[..data.rows()].iter_mut().enumerate() {
            *r += offset * data.root_weights().map_or(1.0, |root| root[k]);
        }
        self.coefficients = vec![1.0; columns.len()];
        self.intercept = 0.0;
        self.unexplained = centred + offset * offset * data.rows() as f64;
    }

    fn mark_unfit(&mut self) {
        self.coefficients = vec![0.0; self.genes.len()];
        self.intercept = 0.0;
        self.unexplained = f64::INFINITY;
    }

    /// Prediction for every row of `data`.
    pub fn predict(&self, data: &Dataset, workspace: &mut Workspace) -> Vec<f64> {
        let context = Context::of(data);
        let mut sum = vec![self.intercept; data.padded()];
        for (i, &c) in self.coefficients.iter().enumerate() {
            if c != 0.0 {
                rows::add_scaled(data.level(), &mut sum, c, &self.raw_column(i, context, workspace));
            }
        }
        sum.truncate(data.rows());
        sum
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

    /// Remembers the present weights as the best of this tuning.
    pub fn snapshot(&self) -> Peak {
        Peak {
            weights: self.weights.clone(),
            coefficients: self.coefficients.clone(),
            intercept: self.intercept,
            unexplained: self.unexplained,
        }
    }
}
