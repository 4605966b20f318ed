//! iRprop⁻ (Igel and Hüsken 2000): the update rule of the paper.
use super::StepSizes;
use crate::tree::weights::Memory;

/// On a sign change the step shrinks, the weight stays and the derivative is forgotten; otherwise the weight moves by its step
/// against the sign of the derivative.
pub fn update(weight: &mut f64, memory: &mut Memory, slope: f64, sizes: &StepSizes) {
    let step = if memory.step == 0.0 { sizes.initial } else { memory.step };
    let agreement = slope.signum() * memory.slope;
    if agreement < 0.0 {
        memory.step = (step * sizes.shrinkage).max(sizes.smallest);
        memory.slope = 0.0;
        return;
    }
    memory.step = if agreement > 0.0 {
        (step * sizes.growth).min(sizes.largest)
    } else {
        step
    };
    memory.slope = slope;
    *weight -= slope.signum() * memory.step;
}
