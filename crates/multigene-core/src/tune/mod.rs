//! Tuning: inner weights moved so that the loss falls, and models made shorter where that costs little.
//!
//! In come evaluated individuals; out go the same structures with other inner weights (`shorten`: with fewer parts), evaluated.
//! First order here (paper, section 3.2): exact gradient, then one update rule, one small file each; second order, the default of
//! the search beyond the paper, in `levenberg_marquardt` and, as the search uses it, in `refine`.
mod adam;
mod irprop_minus;
mod irprop_plus;
pub mod jacobian;
pub mod levenberg_marquardt;
pub mod linear_algebra;
pub mod parameters;
pub mod refine;
mod rollback;
mod rprop;
pub mod shorten;
mod step_size;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Deserialize;

use crate::error::Result;
use crate::evaluate::dataset::Dataset;
use crate::evaluate::forward::BLOCK;
use crate::evaluate::gradient::{Kept, Sum, Tunable};
use crate::evaluate::outer_fit::{Context, Workspace};
use crate::evaluate::program::Program;
use crate::evaluate::rows;
use crate::settings::Tuning;
use crate::tree::individual::Individual;
use crate::tree::weights::Memory;

/// The update rules, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Rule {
    /// iRprop⁻ (Igel and Hüsken): the paper's.
    #[serde(rename = "irprop-")]
    IRpropMinus,
    /// iRprop⁺: takes a step back where the sign changed and the error grew.
    #[serde(rename = "irprop+")]
    IRpropPlus,
    /// What the authors' program does: as iRprop⁻, but the step is taken even where the sign changed.
    #[serde(rename = "rprop")]
    Rprop,
    /// Adam (Kingma and Ba).
    #[serde(rename = "adam")]
    Adam,
}

impl Rule {
    /// Does it go on by what it remembers where there is no slope? Rules of signs do not.
    fn coasts(self) -> bool {
        match self {
            Self::IRpropMinus | Self::IRpropPlus | Self::Rprop => false,
            Self::Adam => true,
        }
    }

    /// Moves one weight, given the derivative of the error by it.
    fn update(self, weight: &mut f64, memory: &mut Memory, slope: f64, tuning: &Tuning, worse: bool) {
        match self {
            Self::IRpropMinus => irprop_minus::update(weight, memory, slope, tuning),
            Self::IRpropPlus => irprop_plus::update(weight, memory, slope, tuning, worse),
            Self::Rprop => rprop::update(weight, memory, slope, tuning),
            Self::Adam => adam::update(weight, memory, slope, tuning),
        }
    }
}

/// Results of steps are kept during tuning while they take no more than this: about a second-level cache.
const KEPT_BYTES: usize = 1 << 20;

/// A derivative below this share of the largest is zero up to rounding. Such are not rare: a weight that only scales its gene
/// has derivative zero, because the outer coefficient is at its optimum. Rules that look at signs alone would otherwise follow
/// the sign of a rounding error, and the same rows in another order would give another model.
const ROUNDING: f64 = 1e-13;

/// Moves every weight of a table once; false if all stay where they are. Derivatives that are not finite, or zero up to rounding,
/// say nothing and move nothing.
pub fn step(tuning: &Tuning, weights: &mut crate::tree::weights::Weights, gradient: &[f64], worse: bool) -> bool {
    let (values, memory) = weights.tunable();
    let mut moved = false;
    let least = ROUNDING
        * gradient
            .iter()
            .filter(|slope| slope.is_finite())
            .fold(0.0, |most: f64, slope| most.max(slope.abs()));
    for ((value, memory), &slope) in values.iter_mut().zip(memory).zip(gradient) {
        if slope.abs() <= least && !(tuning.rule.coasts() && *memory != Memory::NEW) {
            // No sign, no step; the stored derivative is this one, zero.
            (memory.slope, memory.extra) = (0.0, 0.0);
        } else if slope.is_finite() {
            let before = *value;
            tuning.rule.update(value, memory, slope, tuning, worse);
            if !(value.is_finite() && memory.slope.is_finite() && memory.extra.is_finite()) {
                (*value, *memory) = (before, Memory::NEW);
            }
            moved |= *value != before;
        }
    }
    moved
}

impl Individual {
    /// A model on its own, fitted to these rows: derivatives of half of 1 − R² by every inner weight.
    pub fn gradient(&self, data: &Dataset) -> Result<Vec<f64>> {
        let (mut model, mut workspace) = (self.anew(data)?, Workspace::default());
        model.evaluate(Context::of(data), &mut workspace);
        gradient(&model, Context::of(data), Tunable::ALL, &mut workspace);
        Ok(workspace.gradient)
    }
}

/// Derivatives of half the unexplained share of the loss by every weight, into the workspace. The individual must just have
/// been evaluated: outer coefficients are at their optimum, so they are held fixed.
pub fn gradient(individual: &Individual, context: Context, tunable: Tunable, workspace: &mut Workspace) {
    workspace.kept.iter_mut().for_each(Kept::clear);
    gradient_from(individual, context, tunable, workspace);
}

/// The same from the results of steps that are kept in the workspace, as far as there are any.
fn gradient_from(individual: &Individual, context: Context, tunable: Tunable, workspace: &mut Workspace) {
    workspace.with_rows(context, |context, _, workspace| {
        gradient_on(individual, context, tunable, workspace);
    });
}

fn gradient_on(individual: &Individual, context: Context, tunable: Tunable, workspace: &mut Workspace) {
    let Workspace {
        tape,
        residual,
        gradient,
        seed,
        kept,
        ..
    } = workspace;
    gradient.clear();
    gradient.resize(individual.weights.values().len(), 0.0);
    // As in evaluation: a constant target is not divided by its length of 0.
    let scale = Some(context.data.target().norm).filter(|&norm| norm > 0.0).unwrap_or(1.0);
    for (i, (gene, &coefficient)) in individual.genes.iter().zip(&individual.coefficients).enumerate() {
        if coefficient == 0.0 || !gene.nodes.iter().any(|node| is_tuned(node, tunable)) {
            continue;
        }
        let level = context.data.level();
        seed.resize(residual.len(), 0.0);
        rows::scaled(level, seed, -coefficient / scale, residual);
        if let Some(root) = context.data.root_weights() {
            rows::multiply(level, seed, root);
        }
        let program = Program::compile(&gene.nodes, &individual.weights, context.library);
        let sweep = context.sweep(&program, &individual.weights, tunable);
        let mut sink = Sum {
            gradient,
            data: context.data,
        };
        match kept.get_mut(i).filter(|kept| kept.is_filled()) {
            Some(kept) => kept.reverse(sweep, seed, tape, &mut sink),
            None => sweep.reverse(0, seed, tape, &mut sink),
        }
    }
}

fn is_tuned(node: &crate::tree::gene::Node, tunable: Tunable) -> bool {
    use crate::tree::gene::Node::*;
    match node {
        Constant(_) => tunable.constants,
        Combination(_) | Product(_) => tunable.combinations,
        Weighted(..) => tunable.inner,
        _ => false,
    }
}

/// Columns of all tuned genes with the present weights, keeping the results of their steps if there is room for them.
fn advance(individual: &mut Individual, context: Context, tunable: Tunable, workspace: &mut Workspace) {
    let blocks = context.data.padded().div_ceil(BLOCK);
    if individual.nodes() * blocks * BLOCK * size_of::<f64>() > KEPT_BYTES {
        return; // evaluation computes the columns, the reverse sweep what it needs
    }
    let Workspace { tape, kept, .. } = workspace;
    kept.resize_with(individual.genes.len().max(kept.len()), Kept::default);
    for (gene, kept) in individual.genes.iter_mut().zip(kept) {
        if gene.nodes.iter().any(|node| is_tuned(node, tunable)) {
            let program = Program::compile(&gene.nodes, &individual.weights, context.library);
            kept.advance(context.sweep(&program, &individual.weights, tunable), tape);
            if gene.column.is_none() {
                gene.column = context.data.standardise(kept.column(&program, context.data)).map(Arc::new);
            }
        }
    }
}

/// Gradient steps on one individual: max(`Bp_steps` − nodes, `Bp_min`) of them, no roll-back; the best iterate is remembered.
/// The individual must have been evaluated.
pub fn tune(individual: &mut Individual, context: Context, tuning: &Tuning, workspace: &mut Workspace, stop: &AtomicBool) {
    let tuned = |node: &crate::tree::gene::Node| is_tuned(node, tuning.tunable());
    individual.peak = None;
    if !individual.unexplained.is_finite() || !individual.genes.iter().any(|gene| gene.nodes.iter().any(tuned)) {
        return;
    }
    let steps = tuning.steps.saturating_sub(individual.nodes()).max(tuning.min_steps);
    let mut best: Option<Box<crate::tree::individual::Peak>> = None;
    let (mut worse, mut moved) = (false, true);
    workspace.kept.iter_mut().for_each(Kept::clear);
    advance(individual, context, tuning.tunable(), workspace);
    for _ in 0..steps {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        if moved {
            gradient_from(individual, context, tuning.tunable(), workspace);
        }
        let before = individual.unexplained;
        if best.as_ref().is_none_or(|peak| before < peak.unexplained) {
            best = Some(Box::new(individual.snapshot()));
        }
        moved = step(tuning, &mut individual.weights, &workspace.gradient, worse);
        if !moved {
            // The sign of every derivative changed: weights wait while their steps shrink. That is no sign of having arrived.
            worse = false;
            continue;
        }
        individual.touch_rows(tuned);
        advance(individual, context, tuning.tunable(), workspace);
        individual.evaluate(context, workspace);
        worse = individual.unexplained > before;
        if !individual.unexplained.is_finite() || (individual.unexplained - before).abs() <= tuning.tolerance {
            break;
        }
    }
    individual.peak = best.filter(|peak| peak.unexplained < individual.unexplained);
}
