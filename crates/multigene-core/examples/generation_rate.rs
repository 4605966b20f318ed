//! Generations per second of the paper's loop on one thread (by its processor time), and where the time goes: `cargo run --release --example
//! generation_rate [baseline|UB] [generations]`.
//!
//! The data are like problem K11C of the paper: 500 rows, two features, uniform in [-3, 3].
mod clock;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clock::processor_seconds;
use multigene_core::evaluate::dataset::Dataset;
use multigene_core::evaluate::outer_fit::{Context, Workspace};
use multigene_core::population::Population;
use multigene_core::settings::{Genes, Tuning, Variation};
use multigene_core::vary::grow::{SlotRng, Synchronisation, between};
use multigene_core::vector_math::Level;
use rand::{Rng, RngExt, SeedableRng};

/// Population size, tournament size, number of elites (paper, Table 2), and whether leaves may be tuned LCFs.
struct Configuration {
    size: usize,
    tournament: usize,
    elites: usize,
    combinations: bool,
}

const BASELINE: Configuration = Configuration {
    size: 100,
    tournament: 10,
    elites: 15,
    combinations: false,
};
const UB: Configuration = Configuration {
    size: 50,
    tournament: 5,
    elites: 8,
    combinations: true,
};

static STOP: AtomicBool = AtomicBool::new(false);

/// Time spent per part of the loop.
#[derive(Default)]
struct Spent {
    columns: f64,
    fit: f64,
    tuning: f64,
    breeding: f64,
    nodes: u64,
}

impl Spent {
    fn print(&self, name: &str, generations: usize, total: f64) {
        let share = |part: f64| 100.0 * part / total;
        println!(
            "{name}: {:.0} generations/s over {generations} generations",
            generations as f64 / total
        );
        println!(
            "  columns {:.0} %, least squares {:.0} %, tuning {:.0} %, selection and breeding {:.0} %",
            share(self.columns),
            share(self.fit),
            share(self.tuning),
            share(self.breeding)
        );
        if self.nodes > 0 {
            println!(
                "  {:.2}·10⁹ node evaluations per second while columns are made",
                self.nodes as f64 / self.columns / 1e9
            );
        }
    }
}

fn data(rng: &mut SlotRng) -> Dataset {
    let columns: Vec<Vec<f64>> = (0..2).map(|_| (0..500).map(|_| between(rng, -3.0, 3.0)).collect()).collect();
    let f = |a: f64, b: f64| (27.22 * a - 4.54) * (-0.39 * b) + 11.46 * ((0.21 * a - 1.0) * (b + 16.6) + 1.97).sin();
    let target: Vec<f64> = columns[0].iter().zip(&columns[1]).map(|(&a, &b)| f(a, b)).collect();
    Dataset::new(columns, &target, None, Level::detect()).expect("finite data")
}

/// Evaluation, its two parts on the clock one after the other.
fn evaluate(population: &mut Population, data: &Dataset, workspace: &mut Workspace, spent: &mut Spent) {
    let context = Context::of(data);
    let start = processor_seconds();
    for individual in population.individuals.iter_mut().filter(|i| !i.is_evaluated()) {
        for i in 0..individual.genes.len() {
            if individual.genes[i].column.is_none() {
                spent.nodes += (individual.genes[i].nodes.len() * data.rows()) as u64;
                individual.prepare_column(i, context, workspace);
            }
        }
    }
    spent.columns += processor_seconds() - start;
    let start = processor_seconds();
    population.evaluate(data, &STOP);
    spent.fit += processor_seconds() - start;
}

/// Indices of the elites and of the parents.
fn select(fitness: &[f64], configuration: &Configuration, rng: &mut SlotRng) -> (Vec<usize>, Vec<(usize, usize)>) {
    let mut order: Vec<usize> = (0..fitness.len()).collect();
    order.sort_by(|&a, &b| fitness[b].total_cmp(&fitness[a]));
    order.truncate(configuration.elites);
    let mut winner = || {
        let mut best = rng.random_range(0..fitness.len() as u32) as usize;
        for _ in 1..configuration.tournament {
            let other = rng.random_range(0..fitness.len() as u32) as usize;
            if fitness[other] > fitness[best] {
                best = other;
            }
        }
        best
    };
    let parents = (configuration.elites..configuration.size)
        .map(|_| (winner(), winner()))
        .collect();
    (order, parents)
}

fn run(name: &str, configuration: &Configuration, generations: usize) {
    let rng = &mut SlotRng::seed_from_u64(1);
    let data = data(rng);
    let genes = Genes {
        lcf: configuration.combinations.then_some(Synchronisation::Unsynchronised),
        ..Genes::default()
    };
    let primitives = Arc::new(genes.primitives(data.n_features()).expect("known functions"));
    let seeds: Vec<u64> = (0..configuration.size).map(|_| rng.next_u64()).collect();
    let mut population = Population::grow(primitives, genes.evaluation(), &seeds);
    let (mut workspace, mut spent, mut window) = (Workspace::default(), Spent::default(), processor_seconds());
    let begin = processor_seconds();
    for generation in 1..=generations {
        if configuration.combinations {
            let start = processor_seconds();
            population.tune(&data, &Tuning::default(), &STOP);
            spent.tuning += processor_seconds() - start;
        }
        evaluate(&mut population, &data, &mut workspace, &mut spent);
        let fitness: Vec<f64> = population.individuals.iter().map(|i| i.fitness()).collect();
        let start = processor_seconds();
        let (elites, parents) = select(&fitness, configuration, rng);
        let seeds: Vec<u64> = parents.iter().map(|_| rng.next_u64()).collect();
        if generation.is_multiple_of((generations / 4).max(1)) {
            let best = &population.individuals[elites[0]];
            let mean = population.individuals.iter().map(|i| i.nodes()).sum::<usize>() / configuration.size;
            let rate = (generations / 4).max(1) as f64 / (processor_seconds() - window);
            println!(
                "{name} generation {generation}: {rate:.0}/s lately, R² {:.6}, {mean} nodes on average",
                best.fitness()
            );
            window = processor_seconds();
        }
        population = population.breed(&parents, &elites, &Variation::default(), &seeds).unwrap();
        spent.breeding += processor_seconds() - start;
    }
    spent.print(name, generations, processor_seconds() - begin);
}

fn main() {
    let wanted = std::env::args().nth(1);
    let generations = std::env::args().nth(2).and_then(|n| n.parse().ok());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
    pool.install(|| {
        for (name, configuration, default) in [("baseline", BASELINE, 2000), ("UB", UB, 1000)] {
            if wanted.as_deref().is_none_or(|wanted| wanted == name) {
                run(name, &configuration, generations.unwrap_or(default));
            }
        }
    });
}
