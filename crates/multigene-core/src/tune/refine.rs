//! Second-order tuning as the search uses it: of offspring while it runs (`refine`), of models on their own after it (`polish_all`).
use std::sync::atomic::AtomicBool;

use rand::{RngExt, SeedableRng};
use rayon::prelude::*;

use super::levenberg_marquardt::{GeneChoice, LevenbergMarquardt, levenberg_marquardt, levenberg_marquardt_until};
use super::shorten::shorten;
use crate::error::Result;
use crate::evaluate::criterion::Criterion;
use crate::evaluate::dataset::Dataset;
use crate::evaluate::outer_fit::{Context, Workspace};
use crate::settings::{Refinement, Selection};
use crate::tree::gene::Node;
use crate::tree::individual::Individual;
use crate::tree::weights::BIAS;
use crate::vary::grow::SlotRng;

/// Second-order tuning of offspring: its settings, and what is known of the generation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refining {
    /// As people set them.
    pub settings: Refinement,
    /// What fitness is.
    pub criterion: Criterion,
    /// After its first step, an offspring goes on only with at least this fitness.
    pub race: Option<f64>,
}

impl Refining {
    /// Settings, criterion and race of one generation.
    pub fn new(settings: Refinement, selection: &Selection, race: Option<f64>) -> Result<Self> {
        Ok(Self {
            settings,
            criterion: selection.criterion()?,
            race,
        })
    }
}

/// Evaluates one individual that changed and tunes the gene that breeding changed (any gene where none did), or all genes with
/// some probability. Hopeless ones are given up after the first step, and weights dropped that earn nothing. Returns the number
/// of evaluations.
pub fn refine(
    individual: &mut Individual,
    context: Context,
    refining: &Refining,
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
    let race = refining
        .race
        .map(|fitness| refining.criterion.unexplained_at(fitness, individual, rows));
    let tuning = LevenbergMarquardt {
        race,
        ..refining.settings.optimiser()
    };
    let any = rng.random_range(0..individual.genes.len() as u32);
    let gene = individual
        .fresh
        .filter(|&g| (g as usize) < individual.genes.len())
        .unwrap_or(any) as usize;
    let genes = if rng.random_bool(refining.settings.all_genes) {
        GeneChoice::All
    } else {
        GeneChoice::One(gene)
    };
    let outcome = levenberg_marquardt_until(individual, genes, context, &tuning, workspace, &mut rng, stop);
    if refining.settings.prune > 0.0 && outcome.steps > 0 {
        drop_small_weights(individual, gene, context, refining, workspace);
    }
    1 + outcome.evaluations
}

/// Drops small LCF weights and exponents of one gene where that makes the individual fitter.
fn drop_small_weights(
    individual: &mut Individual,
    gene: usize,
    context: Context,
    refining: &Refining,
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
            .filter(|&(f, w)| f == BIAS || w.abs() >= refining.settings.prune * largest)
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
        if refining.criterion.fitness(&pruned, n) >= refining.criterion.fitness(individual, n) {
            *individual = pruned;
        }
    }
}

impl Individual {
    /// A model on its own: all inner weights tuned, outer coefficients fitted to these rows.
    pub fn refined(&self, data: &Dataset, optimiser: &LevenbergMarquardt) -> Result<Self> {
        let mut model = self.anew(data)?;
        let (mut workspace, mut rng) = (Workspace::default(), SlotRng::seed_from_u64(0));
        levenberg_marquardt(
            &mut model,
            GeneChoice::All,
            Context::of(data),
            optimiser,
            &mut workspace,
            &mut rng,
        );
        Ok(model)
    }
}

/// Models that stand alone: all genes of each tuned jointly, with outer coefficients, or the genes added as they are; then shortened
/// at one price per printed node after the other. Each is followed by all shorter models on the way. In parallel.
pub fn polish_all(
    models: Vec<Individual>,
    data: &Dataset,
    optimiser: &LevenbergMarquardt,
    prices: &[f64],
    fit_genes: bool,
    stop: &AtomicBool,
) -> Vec<Individual> {
    let context = Context {
        fit_genes,
        ..Context::of(data)
    };
    let polished = |mut model: Individual| {
        let (mut workspace, mut rng) = (Workspace::default(), SlotRng::seed_from_u64(0));
        model.forget();
        levenberg_marquardt_until(
            &mut model,
            GeneChoice::All,
            context,
            optimiser,
            &mut workspace,
            &mut rng,
            stop,
        );
        let mut relatives = vec![model.without_columns()];
        for &price in prices {
            relatives.extend(shorten(&mut model, context, price, optimiser, &mut workspace, &mut rng, stop));
        }
        relatives
    };
    let relatives: Vec<Vec<Individual>> = models.into_par_iter().map(polished).collect();
    relatives.into_iter().flatten().collect()
}
