//! What the unsafe blocks promise, on cases small enough for Miri:
//! `cargo +nightly miri test -p multigene-core --test soundness` (`make miri`).
//!
//! Unsafe are the buffers of the forward sweep, which steps share by slots, and the calls of code for wider vectors. Miri watches
//! every access to memory; natively the same tests run more cases against the naive evaluator.
mod common;

use common::{all_functions, columns, naive, primitives, random_gene, rng};
use multigene_core::evaluate::dataset::Dataset;
use multigene_core::evaluate::forward::{BLOCK, Scratch, evaluate};
use multigene_core::evaluate::program::Program;
use multigene_core::vector_math::Level;

/// Miri is some thousand times slower.
const CASES: usize = if cfg!(miri) { 24 } else { 2_000 };

/// One scratch for all genes and sizes, as a thread has it: buffers grow, and hold what the gene before left there.
#[test]
fn slots_are_never_shared_by_a_step_and_its_arguments() {
    let (primitives, mut rng) = (primitives(all_functions(), 3), rng(5));
    let library = &primitives.functions.library;
    let mut scratch = Scratch::default();
    for case in 0..CASES {
        let (nodes, weights) = random_gene(&primitives, 1 + case % 7, &mut rng);
        // Mostly few rows; now and then a block and a little more.
        let rows = if case % 12 == 11 { BLOCK + 3 } else { 1 + case % 9 };
        let x = columns(&mut rng, rows, 3);
        let program = Program::compile(&nodes, &weights, library);
        for level in Level::available() {
            let data = Dataset::features(x.clone(), rows, level);
            let mut out = vec![f64::NAN; data.padded()];
            evaluate(&program, &weights, &data, &mut scratch, &mut out);
            for k in (0..rows).step_by(1 + rows / 5) {
                let want = naive(&nodes, &weights, library, &[x[0][k], x[1][k], x[2][k]]);
                let alike = (out[k] - want).abs() <= 1e-6 * want.abs() + 1e-9;
                // What rounding decides (poles, a wild sine, a sign at zero) is compared in `evaluate.rs`.
                assert!(
                    alike || !want.is_finite() || want.abs() > 1e3 || case % 7 > 2,
                    "{nodes:?}: {} not {want}",
                    out[k]
                );
            }
        }
    }
}
