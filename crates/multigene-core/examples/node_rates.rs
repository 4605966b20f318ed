//! Node evaluations per second on random trees, all genes of all individuals over all rows, on one thread:
//! `cargo run --release --example node_rates [rows] [seconds] [narrowest level]`. For profiles; `python -m benchmarks nodes` compares.
mod clock;

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use clock::processor_seconds;
use multigene_core::evaluate::dataset::Dataset;
use multigene_core::population::sweep;
use multigene_core::tree::gene::{Function, Node};
use multigene_core::tree::individual::{Gene, Individual};
use multigene_core::tree::operator::Operator;
use multigene_core::tree::weights::Weights;
use multigene_core::vary::grow::{SlotRng, between};
use multigene_core::vector_math::Level;
use rand::{RngExt, SeedableRng};

const FEATURES: u32 = 5;

fn grow(size: usize, nodes: &mut Vec<Node>, weights: &mut Weights, rng: &mut SlotRng) {
    use Operator::{Add, Cos, Exp, Mul, Power, Sin, Sub, Tanh};
    const UNARY: [Operator; 5] = [Sin, Cos, Exp, Tanh, Power(2)];
    const BINARY: [Operator; 3] = [Add, Sub, Mul];
    if size == 1 {
        let leaf = match rng.random_range(0..10u32) {
            0 => Node::Constant(weights.push_constant(between(rng, -10.0, 10.0))),
            _ => Node::Variable(rng.random_range(0..FEATURES)),
        };
        return nodes.push(leaf);
    }
    let draw = rng.random_range(0..8u32) as usize;
    let operator = if draw < 5 || size == 2 {
        UNARY[draw % 5]
    } else {
        BINARY[draw - 5]
    };
    let rest = size - 1;
    if operator.arity() == 1 {
        grow(rest, nodes, weights, rng);
    } else {
        let left = rng.random_range(1..rest as u32) as usize;
        grow(left, nodes, weights, rng);
        grow(rest - left, nodes, weights, rng);
    }
    nodes.push(Node::Apply(Function::Base(operator)));
}

fn main() {
    let argument = |i: usize, default: usize| std::env::args().nth(i).and_then(|n| n.parse().ok()).unwrap_or(default);
    let sizes = match argument(1, 0) {
        0 => vec![500, 5_000, 50_000],
        rows => vec![rows],
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
    for level in Level::available().into_iter().skip(argument(3, 0)) {
        for &rows in &sizes {
            let rng = &mut SlotRng::seed_from_u64(1);
            let columns = (0..FEATURES)
                .map(|_| (0..rows).map(|_| between(rng, -1.0, 1.0)).collect())
                .collect();
            let data = Dataset::new(columns, &vec![0.0; rows], None, level).expect("finite data");
            let individuals: Vec<Individual> = (0..200)
                .map(|_| {
                    let mut individual = Individual::empty(Weights::default());
                    let (size, mut nodes) = (rng.random_range(5..=40u32) as usize, Vec::new());
                    grow(size, &mut nodes, &mut individual.weights, rng);
                    individual.genes.push(Gene::new(nodes));
                    individual
                })
                .collect();
            let individuals: Vec<&Individual> = individuals.iter().collect();
            let run = || pool.install(|| (sweep(&individuals, &data, &AtomicBool::new(false)), processor_seconds()));
            let ((_, before), mut nodes, mut after, begin) = (run(), 0, 0.0, Instant::now());
            while begin.elapsed().as_secs_f64() < argument(2, 1) as f64 {
                let (done, now) = run();
                (nodes, after) = (nodes + done.expect("as many features as the trees use"), now);
            }
            println!(
                "{level:?} {rows:>6} rows: {:.2}·10⁹ nodes/s",
                nodes as f64 / (after - before) / 1e9
            );
        }
    }
}
