//! Second-order tuning as the search uses it: of offspring while it runs (`refine`), of models on their own after it (`polish_all`).
use std::sync::atomic::AtomicBool;

use rand::{RngExt, SeedableRng};
use rayon::prelude::*;

use super::levenberg_marquardt::{GeneChoice, LevenbergMarquardt, levenberg_marquardt_until};
use super::shorten::shorten;
use crate::evaluate::criterion::Criterion;
use crate::evaluate::dataset::Dataset;
use crate::evaluate::outer_fit::{Context, Workspace};
use crate::tree::gene::Node;
use crate::tree::individual::Individual;
use crate::tree::weights::BIAS;
use crate::vary::grow::SlotRng;

/// Second-order tuning of offspring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refinement {
    /// Levenberg-Marquardt on one gene.
    pub tuning: LevenbergMarquardt,
    /// Chance that all genes are tuned together.
    pub all_genes: f64,
    /// What fitness is.
    pub criterion: Criterion,
    /// After its first step, an offspring goes on only with at least this fitness.
    pub race: Option<f64>,
    /// LCF weights below this share of the largest are dropped if that makes the individual fitter.
    pub prune: f64,
}

/// Evaluates one individual that changed and tunes the gene that breeding changed (any gene where none did), or all genes with
/// some probability. Hopeless ones are given up after the first step, and weights dropped that earn nothing. Returns the number
/// of evaluations.
pub fn refine(
    individual: &mut Individual,
    context: Context,
    refinement: &Refinement,
    workspace: &mut Workspace,
    seed: u64,
    stop: &AtomicBool,
) -> usize {
    let mut rng = SlotRng::seed_from_u64(seed);
    individual.evaluate(context, workspace);
    if !individual.unexplained.is_finite() {
        return 1;
    }
    let rows = context.data.count();
    let race = refinement
        .race
        .map(|fitness| refinement.criterion.unexplained_at(fitness, individual, rows));
    let tuning = LevenbergMarquardt {
        race,
        ..refinement.tuning
    };
    let any = rng.random_range(0..individual.genes.len() as u32);
    let gene = individual
        .fresh
        .filter(|&g| (g as usize) < individual.genes.len())
        .unwrap_or(any) as usize;
    let genes = if rng.random_bool(refinement.all_genes) {
        GeneChoice::All
    } else {
        GeneChoice::One(gene)
    };
    let outcome = levenberg_marquardt_until(individual, genes, context, &tuning, workspace, &mut rng, stop);
    if refinement.prune > 0.0 && outcome.steps > 0 {
        drop_small_weights(individual, gene, context, refinement, workspace);
    }
    1 + outcome.evaluations
}

/// Drops small LCF weights and exponents of one gene where that makes the individual fitter.
fn drop_small_weights(
    individual: &mut Individual,
    gene: usize,
    context: Context,
    refinement: &Refinement,
    workspace: &mut Workspace,
) {
    let rows: Vec<u32> = individual.genes[gene]
        .nodes
        .iter()
        .filter_map(|node| match node {
            Node::Combination(row) | Node::Product(row) => Some(*row),
            _ => None,
        })
        .collect();
    let mut pruned = individual.clone();
    let mut changed = false;
    for row in rows {
        let terms: Vec<(u32, f64)> = individual.weights.row(row).iter().collect();
        let largest = terms.iter().filter(|t| t.0 != BIAS).map(|t| t.1.abs()).fold(0.0, f64::max);
        let kept: Vec<(u32, f64)> = terms
            .iter()
            .copied()
            .filter(|&(f, w)| f == BIAS || w.abs() >= refinement.prune * largest)
            .collect();
        if kept.len() < terms.len() {
            pruned.weights.replace(row, kept);
            changed = true;
        }
    }
    if changed {
        pruned.touch(gene);
        pruned.evaluate(context, workspace);
        let n = context.data.count();
        if refinement.criterion.fitness(&pruned, n) >= refinement.criterion.fitness(individual, n) {
            *individual = pruned;
        }
    }
}

/// Models that stand alone: all genes of each tuned jointly, and, with a price per printed node, shortened. In parallel.
pub fn polish_all(models: &mut [Individual], data: &Dataset, tuning: &LevenbergMarquardt, price: f64, stop: &AtomicBool) {
    let context = Context {
        data,
        library: &[],
        fit_genes: true,
    };
    models.par_iter_mut().for_each(|model| {
        let (mut workspace, mut rng) = (Workspace::default(), SlotRng::seed_from_u64(0));
        model.forget();
        levenberg_marquardt_until(model, GeneChoice::All, context, tuning, &mut workspace, &mut rng, stop);
        if price > 0.0 {
            shorten(model, context, price, tuning, &mut workspace, &mut rng, stop);
        }
        let unexplained = model.unexplained;
        model.forget(); // columns of very many rows would add up
        model.unexplained = unexplained;
    });
}
