//! iRprop⁻ (Igel and Hüsken 2000): the update rule of the paper.
use super::step_size::adapt;
use crate::settings::Tuning;
use crate::tree::weights::Memory;

/// On a sign change the step shrinks, the weight stays and the derivative is forgotten; otherwise the weight moves by its step
/// against the sign of the derivative.
pub fn update(weight: &mut f64, memory: &mut Memory, slope: f64, tuning: &Tuning) {
    if adapt(memory, slope, tuning) {
        memory.slope = 0.0;
        return;
    }
    memory.slope = slope;
    *weight -= slope.signum() * memory.step;
}
