//! Mutations of an individual: the paper's three (subtree, constant, weights), and those of the default and the law seekers.
use rand::RngExt;
use rand_distr::StandardNormal;

use crate::tree::gene::{Function, Node, depth, levels, sizes, start};
use crate::tree::individual::Individual;
use crate::tree::operator::Operator;
use crate::tree::weights::{BIAS, OWN_VALUE};
use crate::vary::Variation;
use crate::vary::child::Child;
use crate::vary::grow::{Primitives, Shape, SlotRng, Synchronisation, pick};

/// Weight of what a neutral insertion puts in: small, but large enough for derivatives to see it.
const SLIGHT: f64 = 1e-3;

/// Kinds of mutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
}

impl Mutation {
    /// All kinds with their names.
    pub const ALL: [(&'static str, Self); 12] = [
        ("subtree", Self::Subtree),
        ("constant", Self::Constant),
        ("weights", Self::Weights),
        ("sparsity", Self::Sparsity),
        ("add_gene", Self::AddGene),
        ("delete_gene", Self::DeleteGene),
        ("point", Self::Point),
        ("hoist", Self::Hoist),
        ("shrink", Self::Shrink),
        ("insert", Self::Insert),
        ("neutral", Self::Neutral),
        ("round", Self::Round),
    ];
}

/// A mutated copy of a parent. Where there is nothing of the drawn kind to mutate, a subtree is.
pub fn mutate(parent: &Individual, primitives: &Primitives, variation: &Variation, rng: &mut SlotRng) -> Individual {
    let frequencies: Vec<f64> = variation.mutations.iter().map(|&(_, frequency)| frequency).collect();
    let kind = variation.mutations[pick(&frequencies, rng)].0;
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
    };
    if !done {
        child.mutate_subtree(rng);
    }
    child.finish()
}

fn has_weights(node: &Node) -> bool {
    matches!(node, Node::Combination(_) | Node::Product(_) | Node::Weighted(..))
}

fn below(rng: &mut SlotRng, n: usize) -> usize {
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

    /// Rows of the nodes that fit, each once.
    fn rows(&self, fits: impl Fn(&Node) -> bool) -> Vec<u32> {
        let nodes = self.individual.genes.iter().flat_map(|gene| &gene.nodes);
        let mut rows: Vec<u32> = nodes.filter(|node| fits(node)).filter_map(|node| node.row()).collect();
        if self.primitives.shares_rows() {
            // An index counts once however many nodes share it.
            rows.sort_unstable();
            rows.dedup();
        }
        rows
    }

    /// Adds N(0, σ) to every weight of one row.
    fn move_row(&mut self, fits: impl Fn(&Node) -> bool, sigma: f64, rng: &mut SlotRng) -> bool {
        let rows = self.rows(fits);
        if rows.is_empty() {
            return false;
        }
        let row = rows[below(rng, rows.len())];
        let range = self.individual.weights.range(row);
        for value in &mut self.individual.weights.values_mut()[range] {
            *value += sigma * rng.sample::<f64, _>(StandardNormal);
        }
        self.touch_users(row);
        true
    }

    fn touch_users(&mut self, row: u32) {
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
                0.3 * rng.sample::<f64, _>(StandardNormal)
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

    /// Nodes in place of `begin..=at` of a gene, where they keep it within its limits.
    fn put(&mut self, i: usize, begin: usize, at: usize, subtree: &[Node]) -> bool {
        let (nodes, limits) = (&self.individual.genes[i].nodes, self.primitives.limits);
        let grown = [&nodes[..begin], subtree, &nodes[at + 1..]].concat();
        if grown.len() > limits.max_nodes || depth(&grown) > limits.max_depth {
            return false;
        }
        self.individual.genes[i].nodes = grown;
        self.touch(i);
        true
    }

    /// s + ε·T, s·∏|x|^ε or s·exp(ε·P) in place of a subtree s, as far as the functions and leaves at hand can say it.
    fn insert_neutral(&mut self, rng: &mut SlotRng) -> bool {
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
    fn round_row(&mut self, rng: &mut SlotRng) -> bool {
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

    fn is_product(&self, row: u32) -> bool {
        let mut nodes = self.individual.genes.iter().flat_map(|gene| &gene.nodes);
        nodes.any(|node| *node == Node::Product(row))
    }
}
