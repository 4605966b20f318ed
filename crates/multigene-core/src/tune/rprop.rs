//! The rule of the authors' program: as iRprop⁻, but where the sign of the derivative changed the (shrunk) step is taken and the
//! derivative is remembered, as anywhere else.
use super::step_size::adapt;
use crate::settings::Tuning;
use crate::tree::weights::Memory;

/// The weight always moves by its step against the sign of the derivative.
pub fn update(weight: &mut f64, memory: &mut Memory, slope: f64, tuning: &Tuning) {
    adapt(memory, slope, tuning);
    memory.slope = slope;
    *weight -= slope.signum() * memory.step;
}
