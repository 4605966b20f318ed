//! The rule of the authors' program: as iRprop⁻, but the (shrunk) step is taken even where the sign of the derivative changed.
use super::StepSizes;
use crate::tree::weights::Memory;

/// The weight always moves by its step against the sign of the derivative.
pub fn update(weight: &mut f64, memory: &mut Memory, slope: f64, sizes: &StepSizes) {
    let step = if memory.step == 0.0 { sizes.initial } else { memory.step };
    let agreement = slope.signum() * memory.slope;
    memory.step = if agreement > 0.0 {
        (step * sizes.growth).min(sizes.largest)
    } else if agreement < 0.0 {
        (step * sizes.shrinkage).max(sizes.smallest)
    } else {
        step
    };
    memory.slope = if agreement < 0.0 { 0.0 } else { slope };
    *weight -= slope.signum() * memory.step;
}
