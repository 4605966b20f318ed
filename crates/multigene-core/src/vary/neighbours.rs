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
            other_functions(individual, primitives, gene, at).for_each(&mut take);
            subtrees(individual, primitives, gene, at).for_each(&mut take);
            functions_of_one(individual, primitives, gene, at).for_each(&mut take);
        }
    }
    found
}

/// Every other function of the same arity at a node; weights of its own stay.
fn other_functions<'a>(
    individual: &'a Individual,
    primitives: &'a Primitives,
    gene: usize,
    at: usize,
) -> impl Iterator<Item = Child<'a>> {
    let old = match individual.genes[gene].nodes[at] {
        Node::Apply(function) | Node::Weighted(function, _) => Some(function),
        _ => None,
    };
    let fits = move |function: &&Function| old.is_some_and(|old| old.arity() == function.arity() && old != **function);
    primitives.functions.functions.iter().filter(fits).map(move |&function| {
        let mut child = Child::of(individual, primitives);
        let node = &mut child.individual.genes[gene].nodes[at];
        *node = match *node {
            Node::Weighted(_, row) => Node::Weighted(function, row),
            _ => Node::Apply(function),
        };
        child.touch(gene);
        child
    })
}

/// Every subtree right below a node in its place.
fn subtrees<'a>(
    individual: &'a Individual,
    primitives: &'a Primitives,
    gene: usize,
    at: usize,
) -> impl Iterator<Item = Child<'a>> {
    let nodes = &individual.genes[gene].nodes;
    let mut ends = Vec::new();
    let mut end = at;
    for _ in 0..nodes[at].arity() {
        ends.push(end - 1);
        end = start(nodes, end - 1);
    }
    ends.into_iter().map(move |end| {
        let mut child = Child::of(individual, primitives);
        let nodes = &child.individual.genes[gene].nodes;
        let subtree = nodes[start(nodes, end)..=end].to_vec();
        child.replace(gene, at, &subtree, None, None);
        child
    })
}

/// x and every f(x) in place of a subtree of which one feature x is all it depends on.
fn functions_of_one<'a>(
    individual: &'a Individual,
    primitives: &'a Primitives,
    gene: usize,
    at: usize,
) -> impl Iterator<Item = Child<'a>> {
    let nodes = &individual.genes[gene].nodes;
    let feature = only_feature(individual, &nodes[start(nodes, at)..=at]);
    let (limits, size) = (primitives.limits, at + 1 - start(nodes, at));
    let room = nodes.len() - size + 2 <= limits.max_nodes && levels(nodes)[at] + 2 <= limits.max_depth;
    let unary = primitives.functions.functions.iter().filter(move |f| room && f.arity() == 1);
    let forms = std::iter::once(None).chain(unary.map(|&f| Some(f)));
    feature.into_iter().flat_map(move |feature| {
        forms.clone().map(move |form| {
            let mut child = Child::of(individual, primitives);
            let subtree: Vec<Node> = std::iter::once(Node::Variable(feature))
                .chain(form.map(Node::Apply))
                .collect();
            child.replace(gene, at, &subtree, None, None);
            child
        })
    })
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
