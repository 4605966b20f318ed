//! What can be told of an individual without any rows: its size, its printed length, its structure, its range of values.
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::error::{Error, Result};
use crate::tree::gene::{self, Function, Node};
use crate::tree::individual::{Gene, Individual};
use crate::tree::interval::Interval;
use crate::tree::operator::Operator;
use crate::tree::weights::{BIAS, OWN_VALUE};

impl Individual {
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

    /// Number of signs, functions, variables and numbers of the formula as it stands, without joining any: what the law search and
    /// the paper's configurations go by. `printed_size` is that of the formula as people see it.
    pub fn complexity(&self) -> usize {
        let fitted = self.genes.iter().zip(&self.coefficients).filter(|&(_, &c)| c != 0.0);
        let (mut parts, mut size) = (0, 0);
        for (gene, &c) in fitted {
            parts += 1;
            size += self.written_size(gene) + scaled(c);
        }
        if self.intercept != 0.0 || parts == 0 {
            parts += 1;
            size += 1;
        }
        size + parts - 1 // the plus signs between the parts
    }

    fn written_size(&self, gene: &Gene) -> usize {
        gene.nodes.iter().map(|node| self.written_nodes(*node)).sum()
    }

    /// What one node adds to the printed formula.
    fn written_nodes(&self, node: Node) -> usize {
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

    /// Range of values over a box of features, given by its lower and upper corner.
    pub fn range_over(&self, low: &[f64], high: &[f64]) -> Result<(f64, f64)> {
        self.check_features(low.len().min(high.len()))?;
        let features: Vec<Interval> = low.iter().zip(high).map(|(&low, &high)| Interval::new(low, high)).collect();
        let range = self.range(&features);
        Ok((range.low, range.high))
    }

    /// The same by interval arithmetic; undefined when a pole or overflow cannot be excluded.
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
        self.subtree_range(&gene.nodes, features)
    }

    /// Root of the mean square of a subtree's values at some points, where it has any.
    pub fn size_of_values(&self, nodes: &[Node], points: &[Vec<f64>]) -> Option<f64> {
        let at = |point: &Vec<f64>| {
            let features: Vec<Interval> = point.iter().map(|&x| Interval::point(x)).collect();
            self.subtree_range(nodes, &features).high
        };
        let squares: Vec<f64> = points
            .iter()
            .map(|point| at(point).powi(2))
            .filter(|v| v.is_finite())
            .collect();
        let size = (squares.iter().sum::<f64>() / squares.len() as f64).sqrt();
        (size > 0.0 && size.is_finite()).then_some(size)
    }

    fn subtree_range(&self, nodes: &[Node], features: &[Interval]) -> Interval {
        let mut stack: Vec<Interval> = Vec::new();
        let apply = |function: Function, stack: &mut Vec<Interval>| match function {
            Function::Base(operator) => {
                let second = if operator.arity() == 2 { stack.pop() } else { None };
                let first = stack.pop().unwrap_or(Interval::UNDEFINED);
                operator.range(first, second.unwrap_or(Interval::UNDEFINED))
            }
            Function::Custom(..) => Interval::UNDEFINED,
        };
        for node in nodes {
            let range = match *node {
                Node::Constant(row) => Interval::point(self.weights.constant(row)),
                Node::Variable(j) => features[j as usize],
                Node::Combination(row) => self.affine_range(row, |j| features[j as usize]),
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
                    self.affine_range(row, |_| value)
                }
            };
            stack.push(range);
        }
        stack.pop().unwrap_or(Interval::UNDEFINED)
    }

    /// Range of Σ weight·value of a row, its additive weight included.
    fn affine_range(&self, row: u32, value: impl Fn(u32) -> Interval) -> Interval {
        let term = |(j, w)| match j {
            BIAS => Interval::point(w),
            _ => Interval::point(w).mul(value(j)),
        };
        self.weights
            .row(row)
            .iter()
            .map(term)
            .fold(Interval::point(0.0), Interval::add)
    }

    /// Refuses data with fewer features than the model uses.
    pub fn check_features(&self, n_features: usize) -> Result<()> {
        match self.max_feature() {
            Some(largest) if largest as usize >= n_features => Err(Error::new(format!(
                "The model uses feature {largest} but the data has only {n_features} features."
            ))),
            _ => Ok(()),
        }
    }

    /// Largest feature number used, if any.
    pub fn max_feature(&self) -> Option<u32> {
        self.features().max()
    }

    /// Numbers of the features used, as often as they stand there.
    pub fn features(&self) -> impl Iterator<Item = u32> + '_ {
        self.genes.iter().flat_map(|gene| &gene.nodes).flat_map(|node| {
            let (own, row) = match *node {
                Node::Variable(feature) => (Some(feature), None),
                Node::Combination(row) | Node::Product(row) => (None, Some(row)),
                _ => (None, None),
            };
            let listed = row.map_or(&[][..], |row| self.weights.row(row).features);
            own.into_iter()
                .chain(listed.iter().copied().filter(|&feature| feature != BIAS))
        })
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
