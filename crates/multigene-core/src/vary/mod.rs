//! Variation: where individuals come from.
//!
//! In come primitives (functions, leaves, limits), parents and one seed per slot; out go individuals that have not been
//! evaluated, with what their parents already know of the genes that were left alone. Nothing here looks at a row.

pub mod child;
pub mod crossover;
pub mod grow;
mod law_mutations;
pub mod mutate;
pub mod neighbours;
pub mod synchronise;

use rand::{RngExt, SeedableRng};

use crate::settings::Variation;
use crate::tree::individual::Individual;
use child::Child;
use crossover::{high_level_crossover, low_level_crossover};
use grow::{Primitives, SlotRng};
use mutate::mutate;

/// One offspring of two parents (the second is used by crossover alone).
pub fn offspring(
    first: &Individual,
    second: &Individual,
    primitives: &Primitives,
    variation: &Variation,
    seed: u64,
) -> Individual {
    let mut rng = SlotRng::seed_from_u64(seed);
    let draw: f64 = rng.random();
    if draw < variation.crossover {
        let single = first.genes.len() == 1 && second.genes.len() == 1;
        if rng.random_bool(variation.high_level_crossover) && !single {
            high_level_crossover(first, second, primitives, variation.gene_selection, &mut rng)
        } else {
            low_level_crossover(first, second, primitives, &mut rng)
        }
    } else if draw < variation.crossover + variation.mutation {
        mutate(first, primitives, variation, &mut rng)
    } else {
        Child::of(first, primitives).finish()
    }
}
