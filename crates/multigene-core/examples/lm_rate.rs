//! Prints how many offspring second-order tuning does per second of one thread: mutants of random models of up to ten
//! genes, their changed gene (if it has weights) tuned, on 8 features. Run: `cargo run --release -p multigene-core --example lm_rate [rows]`.
mod clock;

use std::collections::BTreeMap;

use clock::processor_seconds;
use multigene_core::evaluate::dataset::Dataset;
use multigene_core::evaluate::outer_fit::{Context, Workspace};
use multigene_core::settings::{Genes, Variation};
use multigene_core::tree::individual::Individual;
use multigene_core::tune::levenberg_marquardt::{GeneChoice, LevenbergMarquardt, levenberg_marquardt};
use multigene_core::vary::grow::{Birth, Primitives, SlotRng, Synchronisation};
use multigene_core::vary::offspring;
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
    let genes = Genes {
        lcf: Some(Synchronisation::Unsynchronised),
        variable_frequency: Some(4.5),
        lcf_frequency: Some(4.5),
        lcf_birth: Birth::Sparse,
        lcf_dense: dense,
        initial_depth: Some(6),
        mutation_depth: Some(4),
        max_nodes: Some(30),
        max_depth: 7,
        ..Genes::default()
    };
    genes.primitives(FEATURES).expect("known functions")
}

struct Rate {
    evaluations: usize,
    parameters: usize,
    seconds: f64,
    endings: BTreeMap<String, usize>,
}

/// Offspring of random parents whose one changed gene has weights, with the number of that gene.
fn bred(context: Context, primitives: &Primitives, workspace: &mut Workspace, rng: &mut SlotRng) -> Vec<(usize, Individual)> {
    let variation = Variation {
        crossover: 0.7,
        mutation: 0.3,
        high_level_crossover: 0.0,
        constant_mutation: 0.0,
        ..Variation::default()
    };
    let parents: Vec<Individual> = (0..PARENTS)
        .map(|slot| {
            // Deep starts: evolved genes are larger than random ones.
            let mut parent = primitives.individual(6 * (slot / 3) + 3 + slot % 3, rng);
            parent.evaluate(context, workspace);
            parent
        })
        .filter(|parent| parent.unexplained.is_finite())
        .collect();
    let mut draw = || rng.random_range(0..parents.len() as u32) as usize;
    let mut children = Vec::new();
    for seed in 0.. {
        let (first, second) = (&parents[draw()], &parents[draw()]);
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
    children
}

/// Breeds, then tunes; only tuning (with the first evaluation of the changed gene) is timed.
fn measure(data: &Dataset, primitives: &Primitives, settings: &LevenbergMarquardt, evaluate_only: bool) -> Rate {
    let (context, mut workspace, mut rng) = (Context::of(data), Workspace::default(), SlotRng::seed_from_u64(2));
    let mut children = bred(context, primitives, &mut workspace, &mut rng);
    let mut rate = Rate {
        evaluations: 0,
        parameters: 0,
        seconds: 0.0,
        endings: BTreeMap::new(),
    };
    let start = processor_seconds();
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
    rate.seconds = processor_seconds() - start;
    rate
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
