//! Prints how many offspring second-order tuning does per second of one thread: mutants of random models of up to ten
//! genes, their changed gene (if it has weights) tuned, on 8 features. Run: `cargo run --release -p multigene-core --example lm_rate [rows]`.
use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Instant;

use multigene_core::evaluate::dataset::Dataset;
use multigene_core::evaluate::outer_fit::{Context, Workspace};
use multigene_core::tree::functions::FunctionSet;
use multigene_core::tree::gene::Function;
use multigene_core::tree::individual::Individual;
use multigene_core::tree::operator::Operator;
use multigene_core::tune::levenberg_marquardt::{GeneChoice, LevenbergMarquardt, levenberg_marquardt};
use multigene_core::vary::grow::{Birth, LeafFrequencies, Limits, Primitives, SlotRng, Synchronisation};
use multigene_core::vary::mutate::Mutation;
use multigene_core::vary::{Variation, offspring};
use multigene_core::vector_math::Level;
use rand::{RngExt, SeedableRng};

const FEATURES: usize = 8;
const PARENTS: usize = 100;
const CHILDREN: usize = 4000;

fn dataset(rows: usize) -> Dataset {
    let mut rng = SlotRng::seed_from_u64(1);
    let mut columns = vec![Vec::new(); FEATURES];
    let mut target = Vec::new();
    for _ in 0..rows {
        let x: Vec<f64> = (0..FEATURES).map(|_| rng.random::<f64>() * 3.4 - 1.7).collect();
        let noise = 0.2 * (rng.random::<f64>() - 0.5);
        target.push((2.0 * x[0]).sin() * x[1] + x[2] / (1.0 + x[3] * x[3]) + (x[4] + x[5]).tanh() - 0.3 * x[6] * x[7] + noise);
        columns.iter_mut().zip(x).for_each(|(column, x)| column.push(x));
    }
    Dataset::new(columns, &target, None, Level::detect()).expect("valid data")
}

/// The leaves and limits of the default search.
fn primitives(dense: f64) -> Primitives {
    let functions: Vec<Function> = Operator::PAPER.iter().map(|&operator| Function::Base(operator)).collect();
    Primitives {
        functions: FunctionSet {
            frequencies: vec![1.0; functions.len()],
            functions,
            library: Vec::new(),
        },
        n_features: FEATURES,
        leaves: LeafFrequencies {
            variable: 4.5,
            combination: 4.5,
            product: 0.0,
            constant: 1.0,
        },
        product_features: Vec::new(),
        constants: (-10.0, 10.0),
        birth: Birth::Sparse(dense),
        synchronisation: Synchronisation::Unsynchronised,
        weighted: 0.0,
        initial_depth: 6,
        mutation_depth: 4,
        limits: Limits {
            max_genes: 10,
            max_nodes: 30,
            max_depth: 7,
        },
    }
}

struct Rate {
    evaluations: usize,
    parameters: usize,
    seconds: f64,
    endings: BTreeMap<String, usize>,
}

/// Breeds, then tunes; only tuning (with the first evaluation of the changed gene) is timed.
fn measure(data: &Dataset, primitives: &Primitives, settings: &LevenbergMarquardt, evaluate_only: bool) -> Rate {
    let context = Context {
        data,
        library: &[],
        fit_genes: true,
    };
    let variation = Variation {
        crossover: 0.7,
        mutation: 0.3,
        high_level: 0.0,
        gene_selection: 0.5,
        mutations: vec![(Mutation::Subtree, 1.0)],
        constant_sigma: 1.0,
        weights_sigma: 1.0,
    };
    let mut workspace = Workspace::default();
    let mut rng = SlotRng::seed_from_u64(2);
    let parents: Vec<Individual> = (0..PARENTS)
        .map(|slot| {
            // Deep starts: evolved genes are larger than random ones.
            let mut parent = primitives.individual(6 * (slot / 3) + 3 + slot % 3, &mut rng);
            parent.evaluate(context, &mut workspace);
            parent
        })
        .filter(|parent| parent.unexplained.is_finite())
        .collect();
    let draw = |rng: &mut SlotRng| rng.random_range(0..parents.len() as u32) as usize;
    let mut children = Vec::new();
    for seed in 0.. {
        let (first, second) = (&parents[draw(&mut rng)], &parents[draw(&mut rng)]);
        let child = offspring(first, second, primitives, &variation, seed);
        let changed = child.genes.iter().position(|gene| gene.column.is_none());
        children.extend(
            changed
                .filter(|&i| child.genes[i].nodes.iter().any(|n| n.row().is_some()))
                .map(|i| (i, child)),
        );
        if children.len() == CHILDREN {
            break;
        }
    }
    let mut rate = Rate {
        evaluations: 0,
        parameters: 0,
        seconds: 0.0,
        endings: BTreeMap::new(),
    };
    let start = seconds();
    for (changed, child) in &mut children {
        if evaluate_only {
            child.evaluate(context, &mut workspace);
            continue;
        }
        let outcome = levenberg_marquardt(child, GeneChoice::One(*changed), context, settings, &mut workspace, &mut rng);
        rate.evaluations += outcome.evaluations;
        rate.parameters += outcome.parameters;
        *rate.endings.entry(format!("{:?}", outcome.ending)).or_default() += 1;
    }
    rate.seconds = seconds() - start;
    rate
}

/// Processor time of this thread where the system tells it, else time.
fn seconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |n| n * 1e-9)
}

fn main() {
    let rows = std::env::args()
        .nth(1)
        .map_or(700, |rows| rows.parse().expect("a number of rows"));
    let data = dataset(rows);
    let usual = LevenbergMarquardt {
        decay: 1e-4,
        ..LevenbergMarquardt::default()
    };
    println!("{rows} rows, {FEATURES} features, {:?}", data.level());
    for (name, dense) in [
        ("half of the combinations dense", 0.5),
        ("all sparse", 0.0),
        ("all dense", 1.0),
    ] {
        let primitives = primitives(dense);
        let plain = measure(&data, &primitives, &usual, true);
        println!("{name}: evaluation alone {:.0} offspring/s", CHILDREN as f64 / plain.seconds);
        for (label, settings) in [
            (
                "raced at R² = 0.5",
                LevenbergMarquardt {
                    race: Some(0.5),
                    ..usual
                },
            ),
            ("not raced", usual),
        ] {
            let rate = measure(&data, &primitives, &settings, false);
            let each = |total: usize| total as f64 / CHILDREN as f64;
            println!(
                "  {label}: {:.0} tuned offspring/s, {:.1} evaluations and {:.1} weights each; {:?}",
                CHILDREN as f64 / rate.seconds,
                each(rate.evaluations),
                each(rate.parameters),
                rate.endings
            );
        }
    }
}
