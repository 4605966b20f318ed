//! Levenberg–Marquardt on the inner weights with the outer coefficients projected out: the tuning of the default search.
//!
//! One iteration: normal equations at the present weights (`jacobian.rs`), then steps with more and more damping until one
//! lowers the error of the whole individual. A step that does not is taken back, so tuning never makes a model worse.
use std::sync::atomic::AtomicBool;

use super::jacobian::{Equations, Point};
use super::linear_algebra::{factorise, solve};
pub use super::parameters::GeneChoice;
use super::parameters::Parameters;
use super::rollback::Kept;
use crate::evaluate::gradient::Tunable;
use crate::evaluate::outer_fit::{Context, Workspace};
use crate::tree::individual::Individual;
use crate::vary::grow::SlotRng;

/// Least damping: with less, rounding would decide along flat directions.
const LEAST_DAMPING: f64 = 1e-12;
/// Factors of the damping after a step that helped and after one that did not.
const RELAX: f64 = 0.1;
const STIFFEN: f64 = 10.0;

/// Settings of second-order tuning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevenbergMarquardt {
    /// At most this many accepted steps.
    pub max_iterations: usize,
    /// At most this many dampings per step.
    pub tries: usize,
    /// Damping of the first step, relative to the curvature (Marquardt's scaling).
    pub damping: f64,
    /// Stop when a step lowers the error by no more than this share of it.
    pub tolerance: f64,
    /// At most this many weights; of more, those of random nodes.
    pub max_parameters: usize,
    /// Weight decay: minimised is error · (1 + decay · Σ w²), over the slopes w of the tuned linear combinations.
    pub decay: f64,
    /// No weight grows beyond ± this.
    pub bound: f64,
    /// After the first step go on only if no more than this share of the variance (1 − R²) is unexplained.
    pub race: Option<f64>,
    /// What is tuned.
    pub tunable: Tunable,
}

impl Default for LevenbergMarquardt {
    /// For every offspring of a search.
    fn default() -> Self {
        Self {
            max_iterations: 5,
            tries: 3,
            damping: 1e-2,
            tolerance: 1e-3,
            max_parameters: 96,
            decay: 0.0,
            bound: f64::INFINITY,
            race: None,
            tunable: Tunable::ALL,
        }
    }
}

impl LevenbergMarquardt {
    /// For one model that is worth it: on to where rounding ends all progress.
    pub fn polish() -> Self {
        Self {
            max_iterations: 200,
            tries: 12,
            tolerance: 0.0,
            max_parameters: 512,
            ..Self::default()
        }
    }
}

/// Why tuning ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A further step gains, or is foreseen to gain, next to nothing.
    Converged,
    /// As many steps as allowed.
    OutOfIterations,
    /// No damping tried gave a step that helps.
    Stuck,
    /// After the first step the model was still too poor to go on.
    Raced,
    /// No weight has an effect of its own.
    NothingToTune,
    /// The model has no finite error to begin with.
    Unfit,
    /// Told to stop; the model is at the best step so far.
    Interrupted,
}

/// What tuning did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Why it ended.
    pub ending: Ending,
    /// Steps taken.
    pub steps: usize,
    /// Evaluations of the individual, besides the one it starts with.
    pub evaluations: usize,
    /// Number of weights tuned.
    pub parameters: usize,
}

impl Outcome {
    /// Of a model that cannot be tuned.
    const UNFIT: Self = Self {
        ending: Ending::Unfit,
        steps: 0,
        evaluations: 0,
        parameters: 0,
    };
}

/// Buffers of one thread, kept between individuals.
#[derive(Debug, Default)]
pub struct Buffers {
    parameters: Parameters,
    equations: Equations,
    /// The step's equations with unit diagonal: matrix, its right side, and the factor of every parameter.
    scaled: Vec<f64>,
    right: Vec<f64>,
    scales: Vec<f64>,
    factor: Vec<f64>,
    step: Vec<f64>,
    kept: Kept,
}

/// Tunes the weights of one gene, or of all genes jointly. Leaves the individual evaluated, at the best step, with its
/// residual in the workspace. The random generator is used only where there are too many weights.
pub fn levenberg_marquardt(
    individual: &mut Individual,
    genes: GeneChoice,
    context: Context,
    settings: &LevenbergMarquardt,
    workspace: &mut Workspace,
    rng: &mut SlotRng,
) -> Outcome {
    levenberg_marquardt_until(individual, genes, context, settings, workspace, rng, &AtomicBool::new(false))
}

/// The same, until told to stop.
pub fn levenberg_marquardt_until(
    individual: &mut Individual,
    genes: GeneChoice,
    context: Context,
    settings: &LevenbergMarquardt,
    workspace: &mut Workspace,
    rng: &mut SlotRng,
    stop: &AtomicBool,
) -> Outcome {
    // What is cached makes this cheap, and from any state of the workspace the residual is now the individual's.
    individual.evaluate(context, workspace);
    if !individual.unexplained.is_finite() {
        return Outcome::UNFIT;
    }
    let mut buffers = std::mem::take(&mut workspace.second_order);
    buffers
        .parameters
        .choose(individual, genes, settings.tunable, settings.max_parameters, rng);
    let mut search = Search {
        individual,
        context,
        settings,
        workspace,
        buffers: &mut buffers,
        evaluations: 0,
        damping: settings.damping,
    };
    let (ending, steps) = search.run(stop);
    let evaluations = search.evaluations;
    let parameters = buffers.parameters.len();
    buffers.kept.release();
    workspace.second_order = buffers;
    individual.peak.take_if(|peak| peak.unexplained >= individual.unexplained);
    Outcome {
        ending,
        steps,
        evaluations,
        parameters,
    }
}

struct Search<'a> {
    individual: &'a mut Individual,
    context: Context<'a>,
    settings: &'a LevenbergMarquardt,
    workspace: &'a mut Workspace,
    buffers: &'a mut Buffers,
    evaluations: usize,
    damping: f64,
}

/// What came of the tries of one iteration.
enum Attempt {
    /// The error fell by this share.
    Gain(f64),
    /// Nothing to gain.
    Negligible,
    /// No try helped.
    Failed,
}

impl Search<'_> {
    fn run(&mut self, stop: &AtomicBool) -> (Ending, usize) {
        if self.buffers.parameters.is_empty() {
            return (Ending::NothingToTune, 0);
        }
        self.buffers.equations.prepare(&self.buffers.parameters, self.context);
        for steps in 0..self.settings.max_iterations {
            if steps == 1 && self.settings.race.is_some_and(|limit| self.individual.unexplained > limit) {
                return (Ending::Raced, steps);
            }
            if self.individual.unexplained == 0.0 {
                return (Ending::Converged, steps);
            }
            let Buffers {
                parameters, equations, ..
            } = &mut *self.buffers;
            let point = Point {
                individual: self.individual,
                parameters,
                context: self.context,
                tunable: self.settings.tunable,
            };
            if !equations.assemble(point, self.workspace, stop) {
                return (Ending::Interrupted, steps);
            }
            if !self.scale() {
                return (
                    if steps == 0 {
                        Ending::NothingToTune
                    } else {
                        Ending::Converged
                    },
                    steps,
                );
            }
            match self.attempt() {
                Attempt::Gain(share) if share <= self.settings.tolerance => return (Ending::Converged, steps + 1),
                Attempt::Gain(_) => {}
                Attempt::Negligible => return (Ending::Converged, steps),
                Attempt::Failed => return (Ending::Stuck, steps),
            }
        }
        (Ending::OutOfIterations, self.settings.max_iterations)
    }

    /// Σ w² of the slopes that decay.
    fn squares(&self) -> f64 {
        let parameters = &self.buffers.parameters;
        let values = self.individual.weights.values();
        let slopes = parameters.places.iter().zip(&parameters.slopes).filter(|&(_, &slope)| slope);
        slopes.map(|(&place, _)| values[place].powi(2)).sum()
    }

    /// What is minimised.
    fn objective(&self) -> f64 {
        let unexplained = self.individual.unexplained;
        if self.settings.decay > 0.0 {
            unexplained * (1.0 + self.settings.decay * self.squares())
        } else {
            unexplained
        }
    }

    /// The step's equations in units in which every curvature is 1. False when no parameter can move.
    fn scale(&mut self) -> bool {
        let penalty = self.settings.decay * self.individual.unexplained / (1.0 + self.settings.decay * self.squares());
        let Buffers {
            parameters,
            equations,
            scaled,
            right,
            scales,
            ..
        } = &mut *self.buffers;
        let (size, stride) = (parameters.len(), equations.stride);
        let values = self.individual.weights.values();
        scales.clear();
        right.clear();
        for i in 0..size {
            let value = values[parameters.places[i]];
            let decay = if parameters.slopes[i] { penalty } else { 0.0 };
            let descent = equations.descent[i] - decay * value;
            // A weight at its bound that wants to go beyond stays where it is.
            let blocked = value.abs() >= self.settings.bound && descent * value > 0.0;
            let moves = !equations.idle[i] && !blocked;
            let curvature = equations.curvature[i * stride + i] + decay;
            scales.push(if moves { 1.0 / curvature.sqrt() } else { 0.0 });
            right.push(if moves { descent * scales[i] } else { 0.0 });
        }
        scaled.clear();
        scaled.resize(size * stride, 0.0);
        for i in 0..size {
            if scales[i] > 0.0 {
                for j in i + 1..size {
                    // Not a bare product: the curvature of an idle parameter may be NaN.
                    scaled[i * stride + j] = if scales[j] > 0.0 {
                        equations.curvature[i * stride + j] * scales[i] * scales[j]
                    } else {
                        0.0
                    };
                }
            }
        }
        scales.iter().any(|&scale| scale > 0.0)
    }

    /// Steps with more and more damping until one helps.
    fn attempt(&mut self) -> Attempt {
        let before = self.objective();
        let mut kept = false;
        for _ in 0..self.settings.tries {
            let Some(predicted) = self.solve_damped() else {
                self.damping *= STIFFEN;
                continue;
            };
            if !kept {
                if predicted <= self.settings.tolerance * self.individual.unexplained {
                    return Attempt::Negligible;
                }
                self.buffers.kept.keep(self.individual, &self.buffers.parameters);
                kept = true;
            }
            let after = self.take_step();
            if after < before {
                self.damping = (self.damping * RELAX).max(LEAST_DAMPING);
                return Attempt::Gain((before - after) / before);
            }
            self.buffers
                .kept
                .restore(self.individual, &self.buffers.parameters, self.workspace);
            self.damping *= STIFFEN;
        }
        Attempt::Failed
    }

    /// Solves for the step; returns by how much it would lower the error if the model were linear in its weights.
    fn solve_damped(&mut self) -> Option<f64> {
        let Buffers {
            equations,
            scaled,
            right,
            scales,
            factor,
            step,
            ..
        } = &mut *self.buffers;
        let (size, stride) = (right.len(), equations.stride);
        factor.clone_from(scaled);
        for i in 0..size {
            factor[i * stride + i] = 1.0 + self.damping;
        }
        if !factorise(self.context.data.level(), factor, stride, size) {
            return None;
        }
        step.clone_from(right);
        solve(factor, stride, step);
        let mut predicted = 0.0;
        for ((step, right), scale) in step.iter_mut().zip(&*right).zip(&*scales) {
            predicted += *step * (right + self.damping * *step);
            *step *= scale;
        }
        step.iter().all(|step| step.is_finite()).then_some(predicted)
    }

    /// Moves the weights from where they were kept and evaluates; returns the objective there.
    fn take_step(&mut self) -> f64 {
        let Buffers {
            parameters, step, kept, ..
        } = &mut *self.buffers;
        for ((&place, step), &value) in parameters.places.iter().zip(step).zip(&kept.values) {
            // A weight that starts beyond the bound may only come closer.
            let bound = self.settings.bound.max(value.abs());
            self.individual.weights.values_mut()[place] = (value + *step).clamp(-bound, bound);
        }
        for &gene in &parameters.genes {
            self.individual.touch(gene);
        }
        kept.swap(self.workspace);
        self.individual.evaluate(self.context, self.workspace);
        self.evaluations += 1;
        self.objective()
    }
}
