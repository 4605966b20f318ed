//! The step size that the Rprop family adapts, weight by weight.
use crate::settings::Tuning;
use crate::tree::weights::Memory;

/// The step grows while the derivative keeps its sign and shrinks when it changes; returns whether it did.
pub fn adapt(memory: &mut Memory, slope: f64, tuning: &Tuning) -> bool {
    if memory.step == 0.0 {
        memory.step = tuning.initial_step;
    }
    let agreement = slope.signum() * memory.slope;
    if agreement > 0.0 {
        memory.step = (memory.step * tuning.step_growth).min(tuning.max_step);
    } else if agreement < 0.0 {
        memory.step = (memory.step * tuning.step_shrinkage).max(tuning.min_step);
    }
    agreement < 0.0
}
