//! Mutations of the law search: a term or factor that at first changes next to nothing, and weights made round.
use rand::RngExt;

use crate::tree::gene::{Function, Node, start};
use crate::tree::operator::Operator;
use crate::tree::weights::{BIAS, OWN_VALUE};
use crate::vary::child::Child;
use crate::vary::grow::{Shape, SlotRng};
use crate::vary::mutate::below;

/// Weight of what a neutral insertion puts in: small, but large enough for derivatives to see it.
const SLIGHT: f64 = 1e-3;

impl Child<'_> {
    /// s + ε·T, s·∏|x|^ε or s·exp(ε·P) in place of a subtree s, as far as the functions and leaves at hand can say it.
    pub(super) fn insert_neutral(&mut self, rng: &mut SlotRng) -> bool {
        let i = below(rng, self.individual.genes.len());
        let nodes = self.individual.genes[i].nodes.clone();
        let at = below(rng, nodes.len());
        let begin = start(&nodes, at);
        let mut subtree = nodes[begin..=at].to_vec();
        let kinds: Vec<u8> = (0..3).filter(|&kind| self.can_insert(kind)).collect();
        if kinds.is_empty() {
            return false;
        }
        let kind = kinds[below(rng, kinds.len())];
        let (beside, operator) = match kind {
            0 => (self.slight_tree(2, rng), Operator::Add),
            1 => (self.slight_product(rng), Operator::Mul),
            _ => {
                let mut power = self.slight_tree(1, rng);
                if !power.is_empty() {
                    power.push(Node::Apply(Function::Base(Operator::Exp)));
                }
                (power, Operator::Mul)
            }
        };
        if beside.is_empty() {
            return false;
        }
        subtree.extend(beside);
        subtree.push(Node::Apply(Function::Base(operator)));
        self.put(i, begin, at, &subtree)
    }

    /// Are the functions and leaves of this kind of neutral insertion at hand?
    fn can_insert(&self, kind: u8) -> bool {
        let has = |operator| self.primitives.functions.functions.contains(&Function::Base(operator));
        match kind {
            0 => has(Operator::Add),
            1 => has(Operator::Mul) && self.primitives.leaves.product > 0.0 && !self.primitives.product_features.is_empty(),
            _ => has(Operator::Mul) && has(Operator::Exp),
        }
    }

    /// A random tree times ε; empty where no weight can hold the factor.
    fn slight_tree(&mut self, depth: usize, rng: &mut SlotRng) -> Vec<Node> {
        let weights = &mut self.individual.weights;
        let mut nodes = self.primitives.tree_within(Shape::Grow, depth, usize::MAX, weights, rng);
        let root = nodes.len() - 1;
        nodes[root] = match nodes[root] {
            Node::Variable(feature) if self.primitives.has_combinations() && !self.primitives.shares_rows() => {
                Node::Combination(weights.push(feature, [(feature, SLIGHT)]))
            }
            Node::Constant(row) => {
                weights.replace(row, [(BIAS, SLIGHT)]);
                Node::Constant(row)
            }
            Node::Combination(row) if !self.primitives.shares_rows() => {
                let terms: Vec<(u32, f64)> = weights.row(row).iter().map(|(f, w)| (f, SLIGHT * w)).collect();
                weights.replace(row, terms);
                Node::Combination(row)
            }
            Node::Product(row) => {
                let scaled = |(f, w): (u32, f64)| (f, if f == BIAS { SLIGHT * w } else { w });
                let terms: Vec<(u32, f64)> = weights.row(row).iter().map(scaled).collect();
                weights.replace(row, terms);
                Node::Product(row)
            }
            Node::Apply(function) | Node::Weighted(function, _) if self.primitives.weighted > 0.0 => {
                Node::Weighted(function, weights.push(BIAS, [(BIAS, 0.0), (OWN_VALUE, SLIGHT)]))
            }
            _ => return Vec::new(),
        };
        nodes
    }

    /// ∏|x|^ε over one or more features.
    fn slight_product(&mut self, rng: &mut SlotRng) -> Vec<Node> {
        let features = &self.primitives.product_features;
        let first = features[below(rng, features.len())];
        let mut terms = vec![(BIAS, 1.0), (first, SLIGHT)];
        for &feature in features {
            if feature != first && rng.random_bool(0.5) {
                terms.push((feature, SLIGHT));
            }
        }
        vec![Node::Product(self.individual.weights.push(first, terms))]
    }

    /// Weights of one row to multiples of one half; false where they are already.
    pub(super) fn round_row(&mut self, rng: &mut SlotRng) -> bool {
        let rows = self.rows(|node| node.row().is_some());
        if rows.is_empty() || self.primitives.shares_rows() {
            return false;
        }
        let row = rows[below(rng, rows.len())];
        let old: Vec<(u32, f64)> = self.individual.weights.row(row).iter().collect();
        let is_slope = |feature: u32| feature != BIAS && feature != OWN_VALUE;
        let half = |w: f64| (2.0 * w).round() / 2.0;
        let mut new: Vec<(u32, f64)> = old.iter().map(|&(feature, w)| (feature, half(w))).collect();
        new.retain(|&(feature, w)| w != 0.0 || !is_slope(feature));
        let had_slopes = old.iter().any(|&(feature, _)| is_slope(feature));
        let emptied = had_slopes && !new.iter().any(|&(feature, _)| is_slope(feature));
        // A factor of zero would leave nothing of what it multiplies.
        let factor = if self.is_product(row) { BIAS } else { OWN_VALUE };
        let vanished = new.contains(&(factor, 0.0));
        if new == old || emptied || vanished {
            return false;
        }
        self.individual.weights.replace(row, new);
        self.touch_users(row);
        true
    }
}
