//! An individual: genes, their outer coefficients, and the table of inner weights they share.
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::aligned::Aligned;
use crate::dataset::{Column, Dataset};
use crate::evaluate::{Scratch, evaluate};
use crate::functions::{CustomOperator, expand};
use crate::gene::{self, Function, Node};
use crate::gradient::{Kept, Tape};
use crate::interval::Interval;
use crate::least_squares::{Gram, leave, solve};
use crate::operator::Operator;
use crate::program::Program;
use crate::rows;
use crate::weights::{BIAS, OWN_VALUE, Weights};

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

impl Individual {
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

    /// Number of nodes of all genes.
    pub fn nodes(&self) -> usize {
        self.genes.iter().map(|gene| gene.nodes.len()).sum()
    }

    /// Largest depth of a gene.
    pub fn depth(&self) -> usize {
        self.genes.iter().map(|gene| gene::depth(&gene.nodes)).max().unwrap_or(0)
    }

    /// Share of LCFs among the leaves that are not constants (the paper's column "LCF").
    pub fn lcf_share(&self) -> f64 {
        let leaves = self.genes.iter().flat_map(|gene| &gene.nodes);
        let (mut combinations, mut others) = (0usize, 0usize);
        for node in leaves {
            match node {
                Node::Combination(_) => combinations += 1,
                Node::Variable(_) | Node::Product(_) => others += 1,
                _ => {}
            }
        }
        if combinations == 0 {
            0.0
        } else {
            combinations as f64 / (combinations + others) as f64
        }
    }

    /// Number of nodes of the printed formula: every operator, variable and number counts, weights and outer coefficients too.
    pub fn complexity(&self) -> usize {
        let fitted = self.genes.iter().zip(&self.coefficients).filter(|&(_, &c)| c != 0.0);
        let (mut parts, mut size) = (0, 0);
        for (gene, &c) in fitted {
            parts += 1;
            size += self.printed_size(gene) + scaled(c);
        }
        if self.intercept != 0.0 || parts == 0 {
            parts += 1;
            size += 1;
        }
        size + parts - 1 // the plus signs between the parts
    }

    fn printed_size(&self, gene: &Gene) -> usize {
        gene.nodes.iter().map(|node| self.printed_nodes(*node)).sum()
    }

    /// What one node adds to the printed formula.
    fn printed_nodes(&self, node: Node) -> usize {
        let (row, function) = match node {
            Node::Constant(_) | Node::Variable(_) => return 1,
            Node::Apply(function) => return function_size(function),
            Node::Combination(row) | Node::Product(row) => (self.weights.row(row), None),
            Node::Weighted(function, row) => (self.weights.row(row), Some(function)),
        };
        if let Some(function) = function {
            let factor: f64 = row.iter().filter(|term| term.0 == OWN_VALUE).map(|term| term.1).sum();
            return function_size(function) + scaled(factor) + if row.bias() == 0.0 { 0 } else { 2 };
        }
        // w*x and x**w alike: a number and an operator besides the variable, unless w is 1.
        let absent = if matches!(node, Node::Product(_)) { 1.0 } else { 0.0 };
        let own = usize::from(row.bias() != absent);
        let parts = row.slopes().count() + own;
        let terms: usize = row.slopes().map(|(_, weight)| 1 + scaled(weight)).sum();
        (terms + own + parts.saturating_sub(1)).max(1)
    }

    /// Number of fitted numbers: intercept, coefficients, and the inner weights that are not zero of genes that count.
    pub fn parameters(&self) -> usize {
        let inner = |gene: &Gene| -> usize {
            let rows = gene.nodes.iter().filter_map(|node| node.row());
            rows.map(|row| self.weights.row(row).values.iter().filter(|&&w| w != 0.0).count())
                .sum()
        };
        1 + self
            .genes
            .iter()
            .zip(&self.coefficients)
            .filter(|&(_, &c)| c != 0.0)
            .map(|(gene, _)| 1 + inner(gene))
            .sum::<usize>()
    }

    /// Hash of the structure: nodes and features, not the values of weights. Order of genes does not matter.
    pub fn structure(&self) -> u64 {
        let one = |gene: &Gene| {
            let mut hasher = DefaultHasher::new();
            for node in &gene.nodes {
                node.with_row(0).hash(&mut hasher);
                if let Some(row) = node.row() {
                    self.weights.row(row).features.hash(&mut hasher);
                }
            }
            hasher.finish()
        };
        self.genes.iter().map(one).fold(0u64, u64::wrapping_add)
    }

    /// Range of values over a box of features, by interval arithmetic; undefined when a pole or overflow cannot be excluded.
    pub fn range(&self, features: &[Interval]) -> Interval {
        let mut sum = Interval::point(self.intercept);
        for (gene, &c) in self.genes.iter().zip(&self.coefficients) {
            if c != 0.0 {
                sum = sum.add(Interval::point(c).mul(self.gene_range(gene, features)));
            }
        }
        sum
    }

    fn gene_range(&self, gene: &Gene, features: &[Interval]) -> Interval {
        let mut stack: Vec<Interval> = Vec::new();
        let apply = |function: Function, stack: &mut Vec<Interval>| match function {
            Function::Base(operator) => {
                let second = if operator.arity() == 2 { stack.pop() } else { None };
                let first = stack.pop().unwrap_or(Interval::UNDEFINED);
                operator.range(first, second.unwrap_or(Interval::UNDEFINED))
            }
            Function::Custom(..) => Interval::UNDEFINED,
        };
        for node in &gene.nodes {
            let range = match *node {
                Node::Constant(row) => Interval::point(self.weights.constant(row)),
                Node::Variable(j) => features[j as usize],
                Node::Combination(row) => self.weights.row(row).iter().fold(Interval::point(0.0), |sum, (j, w)| {
                    sum.add(if j == BIAS {
                        Interval::point(w)
                    } else {
                        Interval::point(w).mul(features[j as usize])
                    })
                }),
                Node::Product(row) => self.weights.row(row).iter().fold(Interval::point(1.0), |product, (j, w)| {
                    product.mul(match j {
                        BIAS => Interval::point(w),
                        _ if w >= 0.0 => features[j as usize].abs().rising(|v| v.powf(w)),
                        _ => features[j as usize].abs().inverse().rising(|v| v.powf(-w)),
                    })
                }),
                Node::Apply(function) => apply(function, &mut stack),
                Node::Weighted(function, row) => {
                    let value = apply(function, &mut stack);
                    self.weights.row(row).iter().fold(Interval::point(0.0), |sum, (j, w)| {
                        sum.add(if j == BIAS {
                            Interval::point(w)
                        } else {
                            Interval::point(w).mul(value)
                        })
                    })
                }
            };
            stack.push(range);
        }
        stack.pop().unwrap_or(Interval::UNDEFINED)
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
        let context = Context {
            data,
            library: &[],
            fit_genes: true,
        };
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
            let nodes = gene.nodes.iter().map(|node| match node.row() {
                Some(row) => node.with_row(model.weights.push_copy(weights, row)),
                None => *node,
            });
            let nodes: Vec<Node> = nodes.collect();
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

    /// Largest feature number used, if any.
    pub fn max_feature(&self) -> Option<u32> {
        let rows = self.genes.iter().flat_map(|gene| &gene.nodes).filter_map(|node| match *node {
            Node::Variable(feature) => Some(feature),
            Node::Combination(row) | Node::Product(row) => self
                .weights
                .row(row)
                .features
                .iter()
                .copied()
                .filter(|&feature| feature != BIAS)
                .max(),
            _ => None,
        });
        rows.max()
    }
}

/// What a factor adds to the printed formula: itself and the sign after it, nothing if it is 1.
fn scaled(factor: f64) -> usize {
    if factor == 1.0 { 0 } else { 2 }
}

/// What a function adds to the printed formula; a power is a sign and its exponent.
fn function_size(function: Function) -> usize {
    match function {
        Function::Base(Operator::Power(_)) => 2,
        _ => 1,
    }
}
