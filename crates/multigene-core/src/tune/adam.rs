//! Adam (Kingma and Ba 2015), with the initial step as learning rate.
use crate::settings::Tuning;
use crate::tree::weights::Memory;

const DECAY: f64 = 0.9;
const DECAY_SQUARES: f64 = 0.999;

/// `memory.slope` and `memory.extra` hold the moments, `memory.step` the number of steps taken.
pub fn update(weight: &mut f64, memory: &mut Memory, slope: f64, tuning: &Tuning) {
    memory.step += 1.0;
    memory.slope = DECAY * memory.slope + (1.0 - DECAY) * slope;
    memory.extra = DECAY_SQUARES * memory.extra + (1.0 - DECAY_SQUARES) * slope * slope;
    let mean = memory.slope / (1.0 - DECAY.powf(memory.step));
    let square = memory.extra / (1.0 - DECAY_SQUARES.powf(memory.step));
    *weight -= tuning.initial_step * mean / (square.sqrt() + 1e-12);
}
