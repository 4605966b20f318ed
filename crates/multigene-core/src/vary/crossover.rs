//! Crossover of two parents: whole genes or subtrees change places (paper, section 2). One child is kept.
use rand::RngExt;

use crate::tree::gene::{Node, depths, levels, sizes, start};
use crate::tree::individual::Individual;
use crate::vary::child::Child;
use crate::vary::grow::{Limits, Primitives, SlotRng};

/// Every gene of both parents is selected with probability r; the child gives away its selected genes and receives the
/// other's, as long as there is room; own genes that stay are never dropped.
pub fn high_level_crossover(
    first: &Individual,
    second: &Individual,
    primitives: &Primitives,
    r: f64,
    rng: &mut SlotRng,
) -> Individual {
    let mut select = |parent: &Individual| -> Vec<bool> {
        let mut selected: Vec<bool> = parent.genes.iter().map(|_| rng.random_bool(r)).collect();
        if selected.iter().all(|&s| s) {
            let stays = rng.random_range(0..selected.len() as u32) as usize;
            selected[stays] = false;
        }
        selected
    };
    let (given, received) = (select(first), select(second));
    let mut child = Child::with_genes(first, primitives, |i| !given[i]);
    for (i, received) in received.into_iter().enumerate() {
        if received && child.individual.genes.len() < primitives.limits.max_genes {
            child.receive(second, i);
        }
    }
    child.finish()
}

/// Koza's subtree crossover between a random gene of each parent; the first child is kept. The second node is uniform
/// among those that keep both children within the limits.
pub fn low_level_crossover(first: &Individual, second: &Individual, primitives: &Primitives, rng: &mut SlotRng) -> Individual {
    let limits = primitives.limits;
    let i = rng.random_range(0..first.genes.len() as u32) as usize;
    let j = rng.random_range(0..second.genes.len() as u32) as usize;
    let (a, b) = (&first.genes[i].nodes, &second.genes[j].nodes);
    let at = rng.random_range(0..a.len() as u32) as usize;
    let partners = partners(a, at, b, limits);
    let mut child = Child::of(first, primitives);
    if !partners.is_empty() {
        let other = partners[rng.random_range(0..partners.len() as u32) as usize];
        let subtree = &b[start(b, other)..=other];
        child.replace(i, at, subtree, Some(&second.weights), Some(&second.weights));
    }
    child.finish()
}

/// Nodes of `b` whose exchange with node `at` of `a` keeps both trees within depth and size.
fn partners(a: &[Node], at: usize, b: &[Node], limits: Limits) -> Vec<usize> {
    let (depth_a, level_a, size_a) = (depths(a)[at], levels(a)[at], at + 1 - start(a, at));
    let (depths_b, levels_b, sizes_b) = (depths(b), levels(b), sizes(b));
    let fits = |k: &usize| {
        level_a + depths_b[*k] <= limits.max_depth
            && levels_b[*k] + depth_a <= limits.max_depth
            && a.len() - size_a + sizes_b[*k] <= limits.max_nodes
            && b.len() - sizes_b[*k] + size_a <= limits.max_nodes
    };
    (0..b.len()).filter(fits).collect()
}
