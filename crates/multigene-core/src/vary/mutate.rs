//! Mutations of an individual: the paper's three (subtree, constant, weights) and those of the default search. What the law search
//! adds is in `law_mutations`.
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::Deserialize;

use crate::settings::Variation;
use crate::tree::gene::{Function, Node, depth, levels, sizes, start};
use crate::tree::individual::Individual;
use crate::tree::operator::Operator;
use crate::tree::weights::BIAS;
use crate::vary::child::Child;
use crate::vary::grow::{Primitives, Shape, SlotRng, Synchronisation, pick};

/// Kinds of mutation, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mutation {
    /// A random subtree is replaced by a new one (`Pr_Sm`).
    Subtree,
    /// One constant moves (`Pr_Cm`).
    Constant,
    /// All weights of one LCF, product or weighted inner node move (`Pr_Wm`).
    Weights,
    /// A feature enters or leaves an LCF or a product.
    Sparsity,
    /// A new gene is added; where there is no room it takes the place of another.
    AddGene,
    /// A gene is dropped.
    DeleteGene,
    /// A node becomes another of the same arity.
    Point,
    /// A gene becomes one of its subtrees.
    Hoist,
    /// A subtree becomes a leaf.
    Shrink,
    /// A function is put above a subtree.
    Insert,
    /// A term or a factor is put beside a subtree that hardly changes its value: tuning says what becomes of it.
    Neutral,
    /// Weights of one row become whole or half numbers, those near zero leave it.
    Round,
    /// A leaf or a subtree gets an additive number, 0 at first, which tuning moves; a leaf that has one loses it.
    Shift,
    /// A function is put above a subtree whose values a factor first brings to the size of one.
    Wrap,
}

impl Mutation {
    /// All kinds.
    pub const ALL: [Self; 14] = {
        use Mutation::*;
        [
            Subtree, Constant, Weights, Sparsity, AddGene, DeleteGene, Point, Hoist, Shrink, Insert, Neutral, Round, Shift, Wrap,
        ]
    };
}

/// A mutated copy of a parent. Where there is nothing of the drawn kind to mutate, a subtree is.
pub fn mutate(parent: &Individual, primitives: &Primitives, variation: &Variation, rng: &mut SlotRng) -> Individual {
    let (kinds, frequencies): (Vec<Mutation>, Vec<f64>) = variation.mutations().unzip();
    let kind = kinds[pick(&frequencies, rng)];
    let mut child = Child::of(parent, primitives);
    let done = match kind {
        Mutation::Subtree => false,
        Mutation::Constant => child.move_row(|node| matches!(node, Node::Constant(_)), variation.constant_sigma, rng),
        Mutation::Weights => {
            // The population's own LCFs are not an individual's to move.
            let global = primitives.synchronisation == Synchronisation::Global;
            let fits = |node: &Node| has_weights(node) && !(global && matches!(node, Node::Combination(_)));
            child.move_row(fits, variation.weights_sigma, rng)
        }
        Mutation::Sparsity => child.toggle_feature(rng),
        Mutation::AddGene => child.add_gene(rng),
        Mutation::DeleteGene => child.delete_gene(rng),
        Mutation::Point => child.change_node(rng),
        Mutation::Hoist => child.hoist(rng),
        Mutation::Shrink => child.shrink(rng),
        Mutation::Insert => child.insert(rng),
        Mutation::Neutral => child.insert_neutral(rng),
        Mutation::Round => child.round_row(rng),
        Mutation::Shift => child.shift(rng),
        Mutation::Wrap => child.wrap(rng),
    };
    if !done {
        child.mutate_subtree(rng);
    }
    child.finish()
}

fn has_weights(node: &Node) -> bool {
    matches!(node, Node::Combination(_) | Node::Product(_) | Node::Weighted(..))
}

pub(super) fn below(rng: &mut SlotRng, n: usize) -> usize {
    rng.random_range(0..n as u32) as usize
}

impl Child<'_> {
    /// A random node of a random gene gives way to a `grow` tree within the remaining depth.
    pub fn mutate_subtree(&mut self, rng: &mut SlotRng) {
        let limits = self.primitives.limits;
        let i = below(rng, self.individual.genes.len());
        let nodes = &self.individual.genes[i].nodes;
        let at = below(rng, nodes.len());
        let level = levels(nodes)[at];
        let size = at + 1 - start(nodes, at);
        let room = limits.max_nodes.saturating_sub(nodes.len() - size).max(1);
        let depth = limits.max_depth.saturating_sub(level).min(self.primitives.mutation_depth);
        let subtree = self
            .primitives
            .tree_within(Shape::Grow, depth, room, &mut self.individual.weights, rng);
        // LCFs of the new subtree are born with weights of their own even where rows are shared.
        let born = self.primitives.shares_rows().then(|| self.primitives.new_weights(rng));
        self.replace(i, at, &subtree, None, born.as_ref());
    }

    /// The row of every node that fits: one that several nodes share, once for each of them. The paper draws a node.
    pub(super) fn rows(&self, fits: impl Fn(&Node) -> bool) -> Vec<u32> {
        let nodes = self.individual.genes.iter().flat_map(|gene| &gene.nodes);
        nodes.filter(|node| fits(node)).filter_map(|node| node.row()).collect()
    }

    /// Adds N(0, σ) to every weight of one row.
    fn move_row(&mut self, fits: impl Fn(&Node) -> bool, sigma: f64, rng: &mut SlotRng) -> bool {
        let rows = self.rows(fits);
        if rows.is_empty() {
            return false;
        }
        let row = rows[below(rng, rows.len())];
        let features = self.individual.weights.row(row).features.to_vec();
        let range = self.individual.weights.range(row);
        for (value, feature) in self.individual.weights.values_mut()[range].iter_mut().zip(features) {
            *value += sigma * self.primitives.weight(feature, rng);
        }
        self.touch_users(row);
        true
    }

    pub(super) fn touch_users(&mut self, row: u32) {
        for i in 0..self.individual.genes.len() {
            if self.individual.genes[i].nodes.iter().any(|node| node.row() == Some(row)) {
                self.touch(i);
            }
        }
    }

    /// A feature enters one LCF or product, or leaves it.
    fn toggle_feature(&mut self, rng: &mut SlotRng) -> bool {
        let rows = self.rows(|node| matches!(node, Node::Combination(_) | Node::Product(_)));
        if rows.is_empty() || self.primitives.shares_rows() {
            return false;
        }
        let row = rows[below(rng, rows.len())];
        let is_product = self.is_product(row);
        let mut terms: Vec<(u32, f64)> = self.individual.weights.row(row).iter().collect();
        let present: Vec<usize> = (0..terms.len()).filter(|&k| terms[k].0 != BIAS).collect();
        let absent: Vec<u32> = (0..self.primitives.n_features as u32)
            .filter(|f| terms.iter().all(|&(feature, _)| feature != *f))
            .collect();
        let enters = !absent.is_empty() && (present.len() < 2 || rng.random_bool(0.5));
        if enters {
            let feature = absent[below(rng, absent.len())];
            let weight = if is_product {
                [-1.0, 1.0, 0.5, 2.0][below(rng, 4)]
            } else {
                0.3 * self.primitives.weight(feature, rng)
            };
            terms.push((feature, weight));
        } else if present.len() > 1 {
            terms.remove(present[below(rng, present.len())]);
        } else {
            return false;
        }
        self.individual.weights.replace(row, terms);
        self.touch_users(row);
        true
    }

    fn add_gene(&mut self, rng: &mut SlotRng) -> bool {
        let limits = self.primitives.limits;
        let depth = 1 + below(rng, self.primitives.initial_depth.min(limits.max_depth).max(1));
        if self.individual.genes.len() >= limits.max_genes {
            let i = below(rng, self.individual.genes.len());
            self.remove(i);
        }
        let nodes = self
            .primitives
            .tree_within(Shape::Grow, depth, limits.max_nodes, &mut self.individual.weights, rng);
        self.push(nodes);
        true
    }

    fn delete_gene(&mut self, rng: &mut SlotRng) -> bool {
        if self.individual.genes.len() < 2 {
            return false;
        }
        let i = below(rng, self.individual.genes.len());
        self.remove(i);
        true
    }

    /// Another function of the same arity, or another leaf.
    fn change_node(&mut self, rng: &mut SlotRng) -> bool {
        let i = below(rng, self.individual.genes.len());
        let at = below(rng, self.individual.genes[i].nodes.len());
        let old = self.individual.genes[i].nodes[at];
        let new = match old {
            Node::Apply(function) | Node::Weighted(function, _) => {
                let others: Vec<Function> = self.primitives.functions.functions.clone();
                let others: Vec<Function> = others
                    .into_iter()
                    .filter(|f| f.arity() == function.arity() && *f != function)
                    .collect();
                if others.is_empty() {
                    return false;
                }
                self.primitives
                    .inner(others[below(rng, others.len())], &mut self.individual.weights, rng)
            }
            _ => self.primitives.leaf(&mut self.individual.weights, rng),
        };
        self.individual.genes[i].nodes[at] = new;
        self.touch(i);
        true
    }

    fn hoist(&mut self, rng: &mut SlotRng) -> bool {
        let i = below(rng, self.individual.genes.len());
        let nodes = &self.individual.genes[i].nodes;
        if nodes.len() < 2 {
            return false;
        }
        let at = below(rng, nodes.len() - 1);
        let subtree = nodes[start(nodes, at)..=at].to_vec();
        self.individual.genes[i].nodes = subtree;
        self.touch(i);
        true
    }

    fn shrink(&mut self, rng: &mut SlotRng) -> bool {
        let i = below(rng, self.individual.genes.len());
        let inner: Vec<usize> = (0..self.individual.genes[i].nodes.len())
            .filter(|&k| self.individual.genes[i].nodes[k].arity() > 0)
            .collect();
        if inner.is_empty() {
            return false;
        }
        let at = inner[below(rng, inner.len())];
        let leaf = self.primitives.leaf(&mut self.individual.weights, rng);
        self.replace(i, at, &[leaf], None, None);
        true
    }

    /// f(subtree) or f(subtree, leaf) in place of a subtree.
    fn insert(&mut self, rng: &mut SlotRng) -> bool {
        let i = below(rng, self.individual.genes.len());
        let nodes = self.individual.genes[i].nodes.clone();
        let at = below(rng, nodes.len());
        let begin = at + 1 - sizes(&nodes)[at];
        let function = self.primitives.functions.functions[pick(&self.primitives.functions.frequencies, rng)];
        let mut subtree = nodes[begin..=at].to_vec();
        for _ in 1..function.arity() {
            let leaf = self.primitives.leaf(&mut self.individual.weights, rng);
            if rng.random_bool(0.5) {
                subtree.push(leaf)
            } else {
                subtree.insert(0, leaf)
            }
        }
        subtree.push(self.primitives.inner(function, &mut self.individual.weights, rng));
        self.put(i, begin, at, &subtree)
    }

    /// s + b in place of a subtree s below the root (above it there is the intercept), b = 0 at first; x instead of x + b.
    fn shift(&mut self, rng: &mut SlotRng) -> bool {
        let i = below(rng, self.individual.genes.len());
        let nodes = self.individual.genes[i].nodes.clone();
        if nodes.len() < 2 || self.primitives.shares_rows() {
            return false;
        }
        let at = below(rng, nodes.len() - 1);
        let can_add = self.can_add();
        let weights = &mut self.individual.weights;
        match nodes[at] {
            Node::Variable(feature) if self.primitives.has_combinations() => {
                let row = weights.push(feature, [(BIAS, 0.0), (feature, 1.0)]);
                self.individual.genes[i].nodes[at] = Node::Combination(row);
                self.touch(i);
                true
            }
            Node::Combination(row) => {
                let mut terms: Vec<(u32, f64)> = weights.row(row).iter().collect();
                let features = terms.len();
                terms.retain(|&(feature, _)| feature != BIAS);
                if terms.len() == features {
                    terms.insert(0, (BIAS, 0.0));
                }
                weights.replace(row, terms);
                self.touch_users(row);
                true
            }
            Node::Apply(_) if can_add => {
                let begin = start(&nodes, at);
                let number = Node::Constant(weights.push_constant(0.0));
                let sum = [&nodes[begin..=at], &[number, Node::Apply(Function::Base(Operator::Add))]].concat();
                self.put(i, begin, at, &sum)
            }
            _ => false,
        }
    }

    fn can_add(&self) -> bool {
        self.primitives.leaves.constant > 0.0 && self.has(Operator::Add)
    }

    fn has(&self, operator: Operator) -> bool {
        self.primitives.functions.functions.contains(&Function::Base(operator))
    }

    /// f(c·s) in place of a subtree s, c so that the argument is of the size of one: tanh(s) of values in the thousands is the
    /// same everywhere, and tuning finds no way out.
    fn wrap(&mut self, rng: &mut SlotRng) -> bool {
        let set = &self.primitives.functions;
        let frequency = |(f, p): (&Function, &f64)| if f.depends_on_scale() { *p } else { 0.0 };
        let frequencies: Vec<f64> = set.functions.iter().zip(&set.frequencies).map(frequency).collect();
        let can_scale = self.primitives.leaves.constant > 0.0 && self.has(Operator::Mul);
        if !can_scale || frequencies.iter().all(|&p| p == 0.0) {
            return false;
        }
        let i = below(rng, self.individual.genes.len());
        let nodes = self.individual.genes[i].nodes.clone();
        let at = below(rng, nodes.len());
        let begin = start(&nodes, at);
        let Some(size) = self.individual.size_of_values(&nodes[begin..=at], &self.primitives.typical) else {
            return false;
        };
        let factor = rng.sample::<f64, _>(StandardNormal) / size;
        let function = set.functions[pick(&frequencies, rng)];
        let mut wrapped = match nodes[at] {
            Node::Variable(feature) if self.primitives.has_combinations() && !self.primitives.shares_rows() => {
                vec![Node::Combination(self.individual.weights.push(feature, [(feature, factor)]))]
            }
            _ => {
                let number = Node::Constant(self.individual.weights.push_constant(factor));
                [&nodes[begin..=at], &[number, Node::Apply(Function::Base(Operator::Mul))]].concat()
            }
        };
        wrapped.push(self.primitives.inner(function, &mut self.individual.weights, rng));
        self.put(i, begin, at, &wrapped)
    }

    /// Nodes in place of `begin..=at` of a gene, where they keep it within its limits.
    pub(super) fn put(&mut self, i: usize, begin: usize, at: usize, subtree: &[Node]) -> bool {
        let (nodes, limits) = (&self.individual.genes[i].nodes, self.primitives.limits);
        let grown = [&nodes[..begin], subtree, &nodes[at + 1..]].concat();
        if grown.len() > limits.max_nodes || depth(&grown) > limits.max_depth {
            return false;
        }
        self.individual.genes[i].nodes = grown;
        self.touch(i);
        true
    }

    pub(super) fn is_product(&self, row: u32) -> bool {
        let mut nodes = self.individual.genes.iter().flat_map(|gene| &gene.nodes);
        nodes.any(|node| *node == Node::Product(row))
    }
}
