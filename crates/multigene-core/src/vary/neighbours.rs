//! The neighbours of an individual: all models that differ from it in one place. What hill climbing looks at.
use std::collections::HashSet;

use crate::tree::gene::{Function, Node, levels, start};
use crate::tree::individual::Individual;
use crate::vary::child::Child;
use crate::vary::grow::Primitives;

/// Another function at a node, a node that gives way to one of its subtrees, a subtree of one feature that becomes f(x), and a
/// gene dropped. The order depends on the individual alone; structures come once, the individual's own never.
pub fn neighbours(individual: &Individual, primitives: &Primitives) -> Vec<Individual> {
    let mut seen = HashSet::from([individual.structure()]);
    let mut found: Vec<Individual> = Vec::new();
    let mut take = |child: Child| {
        let child = child.finish();
        if seen.insert(child.structure()) {
            found.push(child);
        }
    };
    for gene in 0..individual.genes.len() {
        if individual.genes.len() > 1 {
            let mut child = Child::of(individual, primitives);
            child.remove(gene);
            take(child);
        }
        for at in 0..individual.genes[gene].nodes.len() {
            let place = Place {
                individual,
                primitives,
                gene,
                at,
            };
            place.other_functions().for_each(&mut take);
            place.subtrees().for_each(&mut take);
            place.functions_of_one().for_each(&mut take);
        }
    }
    found
}

/// A node of an individual.
#[derive(Clone, Copy)]
struct Place<'a> {
    individual: &'a Individual,
    primitives: &'a Primitives,
    gene: usize,
    at: usize,
}

impl<'a> Place<'a> {
    fn child(self) -> Child<'a> {
        Child::of(self.individual, self.primitives)
    }

    fn nodes(self) -> &'a [Node] {
        &self.individual.genes[self.gene].nodes
    }

    /// Every other function of the same arity; weights of its own stay.
    fn other_functions(self) -> impl Iterator<Item = Child<'a>> {
        let old = match self.nodes()[self.at] {
            Node::Apply(function) | Node::Weighted(function, _) => Some(function),
            _ => None,
        };
        let fits = move |function: &&Function| old.is_some_and(|old| old.arity() == function.arity() && old != **function);
        self.primitives.functions.functions.iter().filter(fits).map(move |&function| {
            let mut child = self.child();
            let node = &mut child.individual.genes[self.gene].nodes[self.at];
            *node = match *node {
                Node::Weighted(_, row) => Node::Weighted(function, row),
                _ => Node::Apply(function),
            };
            child.touch(self.gene);
            child
        })
    }

    /// Every subtree right below it in its place.
    fn subtrees(self) -> impl Iterator<Item = Child<'a>> {
        let nodes = self.nodes();
        let mut ends = Vec::new();
        let mut end = self.at;
        for _ in 0..nodes[self.at].arity() {
            ends.push(end - 1);
            end = start(nodes, end - 1);
        }
        ends.into_iter().map(move |end| {
            let mut child = self.child();
            let nodes = &child.individual.genes[self.gene].nodes;
            let subtree = nodes[start(nodes, end)..=end].to_vec();
            child.replace(self.gene, self.at, &subtree, None, None);
            child
        })
    }

    /// x and every f(x) in place of a subtree that depends on one feature x alone.
    fn functions_of_one(self) -> impl Iterator<Item = Child<'a>> {
        let (nodes, at, limits) = (self.nodes(), self.at, self.primitives.limits);
        let feature = only_feature(self.individual, &nodes[start(nodes, at)..=at]);
        let size = at + 1 - start(nodes, at);
        let room = nodes.len() - size + 2 <= limits.max_nodes && levels(nodes)[at] + 2 <= limits.max_depth;
        let unary = self
            .primitives
            .functions
            .functions
            .iter()
            .filter(move |f| room && f.arity() == 1);
        let forms = std::iter::once(None).chain(unary.map(|&f| Some(f)));
        feature.into_iter().flat_map(move |feature| {
            forms.clone().map(move |form| {
                let mut child = self.child();
                let subtree: Vec<Node> = std::iter::once(Node::Variable(feature))
                    .chain(form.map(Node::Apply))
                    .collect();
                child.replace(self.gene, at, &subtree, None, None);
                child
            })
        })
    }
}

/// The feature of a subtree that has exactly one.
fn only_feature(individual: &Individual, nodes: &[Node]) -> Option<u32> {
    let mut features = Vec::new();
    for node in nodes {
        match *node {
            Node::Variable(feature) => features.push(feature),
            Node::Combination(row) | Node::Product(row) => {
                features.extend(individual.weights.row(row).slopes().map(|term| term.0))
            }
            _ => {}
        }
    }
    let first = *features.first()?;
    features.iter().all(|&feature| feature == first).then_some(first)
}
