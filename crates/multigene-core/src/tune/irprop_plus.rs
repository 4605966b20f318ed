//! iRprop⁺ (Igel and Hüsken 2000): as iRprop⁻, but the last step is taken back where the sign changed and the error grew.
use super::step_size::adapt;
use crate::settings::Tuning;
use crate::tree::weights::Memory;

/// `memory.extra` holds the last change of the weight.
pub fn update(weight: &mut f64, memory: &mut Memory, slope: f64, tuning: &Tuning, worse: bool) {
    if adapt(memory, slope, tuning) {
        memory.slope = 0.0;
        if worse {
            *weight -= memory.extra;
        }
        memory.extra = 0.0;
        return;
    }
    memory.slope = slope;
    memory.extra = -slope.signum() * memory.step;
    *weight += memory.extra;
}
