//! iRprop⁺ (Igel and Hüsken 2000): as iRprop⁻, but the last step is taken back where the sign changed and the error grew.
use super::StepSizes;
use crate::tree::weights::Memory;

/// `memory.extra` holds the last change of the weight.
pub fn update(weight: &mut f64, memory: &mut Memory, slope: f64, sizes: &StepSizes, worse: bool) {
    let step = if memory.step == 0.0 { sizes.initial } else { memory.step };
    let agreement = slope.signum() * memory.slope;
    if agreement < 0.0 {
        memory.step = (step * sizes.shrinkage).max(sizes.smallest);
        memory.slope = 0.0;
        if worse {
            *weight -= memory.extra;
        }
        memory.extra = 0.0;
        return;
    }
    memory.step = if agreement > 0.0 {
        (step * sizes.growth).min(sizes.largest)
    } else {
        step
    };
    memory.slope = slope;
    memory.extra = -slope.signum() * memory.step;
    *weight += memory.extra;
}
