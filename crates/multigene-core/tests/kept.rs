//! Results kept while weights are tuned give the same columns and derivatives, bit for bit, as sweeps that start anew.
use multigene_core::evaluate::dataset::Dataset;
use multigene_core::evaluate::forward::{Scratch, evaluate};
use multigene_core::evaluate::gradient::{Kept, Sum, Sweep, Tape, Tunable};
use multigene_core::evaluate::program::Program;
use multigene_core::tree::text;
use multigene_core::vector_math::Level;

const ROWS: usize = 1100; // two blocks and a bit

#[test]
fn kept_results_equal_new_sweeps() {
    let column = |f: fn(f64) -> f64| (0..ROWS).map(|i| f(i as f64)).collect::<Vec<f64>>();
    let columns = vec![column(|i| (0.37 * i).sin()), column(|i| (0.11 * i).cos())];
    let data = Dataset::new(columns.clone(), &columns[0], None, Level::detect()).expect("finite data");
    let seed: Vec<f64> = (0..data.padded()).map(|i| (i as f64).cos()).collect();
    // One branch without weights of its own to tune, and one with a constant that is not tuned.
    let gene = "sin([0: 0.3 + 1.5*x0 + -0.2*x1]) * exp(tanh(x0 * x1)) + cos(x1 + 2.5) * [1: 1 + 1*x0 + 1*x1]";
    let (nodes, mut weights) = text::parse(gene, &[]).expect("a gene");
    let tunable = Tunable {
        constants: false,
        combinations: true,
        inner: true,
    };
    let (mut kept, mut tape) = (Kept::default(), Tape::default());
    for round in 0..3 {
        let program = Program::compile(&nodes, &weights, &[]);
        let mut expected = vec![0.0; data.padded()];
        evaluate(&program, &weights, &data, &mut Scratch::default(), &mut expected);
        let sweep = Sweep {
            program: &program,
            weights: &weights,
            data: &data,
            tunable,
        };
        kept.advance(sweep, &mut tape);
        assert_eq!(kept.column(&program, &data).as_slice(), expected, "round {round}");
        let (mut new, mut old) = (vec![0.0; weights.values().len()], vec![0.0; weights.values().len()]);
        let sink = |gradient| Sum { gradient, data: &data };
        sweep.reverse(0, &seed, &mut Tape::default(), &mut sink(&mut new));
        kept.reverse(sweep, &seed, &mut tape, &mut sink(&mut old));
        assert!(new.iter().any(|&slope| slope != 0.0));
        assert_eq!(new, old, "round {round}");
        for (value, slope) in weights.values_mut().iter_mut().zip(&new) {
            *value -= 0.01 * slope.signum() * f64::from(u8::from(*slope != 0.0));
        }
    }
}
