//! The rule of the authors' program: as iRprop⁻, but the (shrunk) step is taken even where the sign of the derivative changed.
use super::step_size::adapt;
use crate::settings::Tuning;
use crate::tree::weights::Memory;

/// The weight always moves by its step against the sign of the derivative.
pub fn update(weight: &mut f64, memory: &mut Memory, slope: f64, tuning: &Tuning) {
    let changed = adapt(memory, slope, tuning);
    memory.slope = if changed { 0.0 } else { slope };
    *weight -= slope.signum() * memory.step;
}
