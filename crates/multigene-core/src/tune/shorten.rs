//! Shortening of one model: genes, operators and slopes of linear combinations that do not earn their place in the printed formula.
//!
//! Minimised is ln(1 − R²) + price · size, size being the number of printed nodes. Which slopes to take out is foreseen by the
//! optimal brain surgeon (Hassibi and Stork 1993): with H the curvature of half the error at its minimum, taking out w while
//! the other weights follow raises 1 − R² by w² / [H⁻¹]ww. What is foreseen is then done, tuned, and kept only if it helps.
use std::sync::atomic::{AtomicBool, Ordering};

use super::jacobian::{Equations, Point};
use super::levenberg_marquardt::{GeneChoice, LevenbergMarquardt, levenberg_marquardt_until};
use super::linear_algebra::{factorise, solve};
use super::parameters::Parameters;
use crate::evaluate::least_squares::Gram;
use crate::evaluate::outer_fit::{Context, Workspace};
use crate::tree::gene::{Node, start};
use crate::tree::individual::Individual;
use crate::tree::weights::BIAS;
use crate::vary::grow::SlotRng;

/// Printed nodes of one term `+ w * x`.
const TERM: f64 = 4.0;
/// Damping of the curvature before it is inverted: flat directions have no say in what a slope is worth.
const DAMPING: f64 = 1e-6;
/// Shorter candidates that are tuned before operators are given up on.
const OPERATORS_TRIED: usize = 3;
/// At this 1 − R² all is explained to numerical precision: less is no better.
const EXPLAINED: f64 = 1e-13;

/// Takes out what does not pay. `price` is in units of ln(1 − R²) per printed node. The individual must have been evaluated;
/// it is left evaluated and never with a worse objective. Returned are the models on the way, the longest first: each is the best
/// of its size that was seen, at some lower price.
pub fn shorten(
    individual: &mut Individual,
    context: Context,
    price: f64,
    tuning: &LevenbergMarquardt,
    workspace: &mut Workspace,
    rng: &mut SlotRng,
    stop: &AtomicBool,
) -> Vec<Individual> {
    if !individual.unexplained.is_finite() {
        return Vec::new();
    }
    let mut shortening = Shortening {
        best: individual.clone(),
        on_the_way: Vec::new(),
        context,
        price,
        tuning,
        workspace,
        rng,
        stop,
    };
    shortening.drop_genes();
    shortening.drop_slopes();
    shortening.drop_operators();
    shortening.drop_slopes();
    *individual = shortening.best;
    individual.evaluate(context, shortening.workspace);
    shortening.on_the_way
}

struct Shortening<'a> {
    best: Individual,
    on_the_way: Vec<Individual>,
    context: Context<'a>,
    price: f64,
    tuning: &'a LevenbergMarquardt,
    workspace: &'a mut Workspace,
    rng: &'a mut SlotRng,
    stop: &'a AtomicBool,
}

impl Shortening<'_> {
    fn objective(&self, individual: &Individual) -> f64 {
        if individual.unexplained.is_finite() {
            individual.unexplained.max(EXPLAINED).ln() + self.price * self.context.data.complexity(individual) as f64
        } else {
            f64::INFINITY
        }
    }

    /// Tunes a shortened candidate and keeps it if it is better. A tie goes to the shorter one.
    fn accept(&mut self, mut candidate: Individual) -> bool {
        levenberg_marquardt_until(
            &mut candidate,
            GeneChoice::All,
            self.context,
            self.tuning,
            self.workspace,
            self.rng,
            self.stop,
        );
        let better = self.objective(&candidate) <= self.objective(&self.best);
        if better {
            self.best = candidate;
            self.on_the_way.push(self.best.without_columns());
        }
        better
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Genes, the least missed first, until one is missed.
    fn drop_genes(&mut self) {
        loop {
            let genes = self.best.genes.len();
            let without = if genes > 1 { genes } else { 0 };
            let shorter = self.evaluated((0..without).map(|gene| without_gene(&self.best, gene)).collect());
            if !shorter.into_iter().take(1).any(|candidate| self.accept(candidate)) {
                return;
            }
        }
    }

    /// Operators with all their arguments but one, the least missed first, until the first few are missed.
    fn drop_operators(&mut self) {
        loop {
            let shorter = self.evaluated(without_operators(&self.best));
            if !shorter
                .into_iter()
                .take(OPERATORS_TRIED)
                .any(|candidate| self.accept(candidate))
            {
                return;
            }
        }
    }

    /// Candidates as they are before tuning, the best first.
    fn evaluated(&mut self, mut candidates: Vec<Individual>) -> Vec<Individual> {
        if self.stopped() {
            return Vec::new();
        }
        for candidate in &mut candidates {
            candidate.evaluate(self.context, self.workspace);
        }
        candidates.sort_by(|a, b| self.objective(a).total_cmp(&self.objective(b)));
        candidates
    }

    /// Slopes, as many at once as are foreseen not to be missed; fewer when that proves wrong.
    fn drop_slopes(&mut self) {
        let mut most = usize::MAX;
        while most > 0 && !self.stopped() {
            let places = self.needless_slopes(most);
            if places.is_empty() {
                return;
            }
            let mut candidate = self.best.clone();
            remove_slopes(&mut candidate, &places);
            if !self.accept(candidate) {
                most = places.len() / 3;
            }
        }
    }

    /// Places of slopes whose loss together is foreseen to cost less than they take to print, at most half of all.
    fn needless_slopes(&mut self, most: usize) -> Vec<usize> {
        let mut costs = self.costs();
        costs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut sum, mut chosen) = (0.0, Vec::new());
        for (cost, place) in costs.iter().take(most.min(costs.len().div_ceil(2))) {
            sum += cost;
            let gain = self.price * TERM * (chosen.len() + 1) as f64;
            if (sum / self.best.unexplained.max(EXPLAINED)).ln_1p() > gain {
                break;
            }
            chosen.push(*place);
        }
        chosen
    }

    /// By how much 1 − R² is foreseen to rise without each slope: pairs of cost and place in the table of weights.
    fn costs(&mut self) -> Vec<(f64, usize)> {
        // The residual in the workspace must be the best model's.
        self.best.evaluate(self.context, self.workspace);
        let mut parameters = Parameters::default();
        parameters.choose(
            &self.best,
            GeneChoice::All,
            self.tuning.tunable,
            self.tuning.max_parameters,
            self.rng,
        );
        if parameters.is_empty() {
            return Vec::new();
        }
        let mut equations = Equations::default();
        equations.prepare(&parameters, self.context);
        let point = Point {
            individual: &self.best,
            parameters: &parameters,
            context: self.context,
            tunable: self.tuning.tunable,
        };
        if !equations.assemble(point, self.workspace, self.stop) {
            return Vec::new();
        }
        let inverse = inverse_diagonal(&equations, parameters.len(), self.context);
        let values = self.best.weights.values();
        let alone = lone_slopes(&self.best);
        (0..parameters.len())
            .filter(|&i| parameters.slopes[i] && !alone.contains(&parameters.places[i]))
            .map(|i| {
                let place = parameters.places[i];
                let cost = inverse[i].map_or(0.0, |inverse| values[place].powi(2) / inverse);
                (cost, place)
            })
            .collect()
    }
}

/// Diagonal of the inverse of the curvature; None for weights without an effect of their own.
fn inverse_diagonal(equations: &Equations, size: usize, context: Context) -> Vec<Option<f64>> {
    let stride = equations.stride;
    let scales: Vec<f64> = (0..size)
        .map(|i| {
            if equations.idle[i] {
                0.0
            } else {
                equations.curvature[i * stride + i].sqrt().recip()
            }
        })
        .collect();
    let mut factor = vec![0.0; size * stride];
    for i in 0..size {
        factor[i * stride + i] = 1.0 + DAMPING;
        for j in i + 1..size {
            if scales[i] > 0.0 && scales[j] > 0.0 {
                factor[i * stride + j] = equations.curvature[i * stride + j] * scales[i] * scales[j];
            }
        }
    }
    if !factorise(context.data.level(), &mut factor, stride, size) {
        // As if the weights had nothing to do with each other: dear, so little is taken out.
        return scales.iter().map(|&s| (s > 0.0).then_some(s * s)).collect();
    }
    (0..size)
        .map(|i| {
            let mut column = vec![0.0; size];
            column[i] = 1.0;
            solve(&factor, stride, &mut column);
            (scales[i] > 0.0).then_some(column[i] * scales[i] * scales[i])
        })
        .collect()
}

/// Places of slopes that are the only one of their linear combination: without them it would be a constant.
fn lone_slopes(individual: &Individual) -> Vec<usize> {
    let mut alone = Vec::new();
    for node in individual.genes.iter().flat_map(|gene| &gene.nodes) {
        if let Node::Combination(row) = node {
            let row = individual.weights.row(*row);
            let mut slopes = row.features.iter().enumerate().filter(|&(_, &feature)| feature != BIAS);
            if let (Some((offset, _)), None) = (slopes.next(), slopes.next()) {
                alone.push(row.start + offset);
            }
        }
    }
    alone
}

fn without_gene(individual: &Individual, gene: usize) -> Individual {
    let mut shorter = individual.clone();
    shorter.genes.remove(gene);
    shorter.coefficients.clear();
    (shorter.fresh, shorter.peak) = (None, None);
    shorter.gram = Gram::unknown(shorter.genes.len());
    shorter.unexplained = f64::NAN;
    shorter
}

/// The individual with one operator less, in every way: one of its arguments stands in its place.
fn without_operators(individual: &Individual) -> Vec<Individual> {
    let mut shorter = Vec::new();
    for (g, gene) in individual.genes.iter().enumerate() {
        for at in (0..gene.nodes.len()).filter(|&at| gene.nodes[at].arity() > 0) {
            let first = start(&gene.nodes, at);
            let mut end = at;
            while end > first {
                let begin = start(&gene.nodes, end - 1);
                let mut candidate = individual.clone();
                let (before, after) = (&gene.nodes[..first], &gene.nodes[at + 1..]);
                candidate.genes[g].nodes = [before, &gene.nodes[begin..end], after].concat();
                candidate.touch(g);
                (candidate.fresh, candidate.peak) = (None, None);
                shorter.push(candidate);
                end = begin;
            }
        }
    }
    shorter
}

/// Takes the slopes at these places of the table out of their rows, but leaves every row one.
fn remove_slopes(individual: &mut Individual, places: &[usize]) {
    let slope = |&(feature, _): &(u32, f64)| feature != BIAS;
    let mut changed = Vec::new();
    for row in 0..individual.weights.len() as u32 {
        let range = individual.weights.range(row);
        if !range.clone().any(|place| places.contains(&place)) {
            continue;
        }
        let terms: Vec<(u32, f64)> = individual.weights.row(row).iter().collect();
        let stays = terms.iter().zip(range).filter(|(_, place)| !places.contains(place));
        let mut kept: Vec<(u32, f64)> = stays.map(|(term, _)| *term).collect();
        if !kept.iter().any(slope) {
            let slopes = terms.iter().copied().filter(slope);
            kept.extend(slopes.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())));
        }
        individual.weights.replace(row, kept);
        changed.push(row);
    }
    individual.touch_rows(|node| matches!(node, Node::Combination(row) if changed.contains(row)));
    individual.peak = None;
}
