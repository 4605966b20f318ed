//! Growing and breeding: limits, tables of weights, caches and determinism after any chain of generations.
mod common;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use common::{all_functions, assert_sound, below, of_texts, paper, primitives, rng};
use multigene_core::evaluate::dataset::Dataset;
use multigene_core::evaluate::least_squares::Gram;
use multigene_core::evaluate::outer_fit::{Context, Workspace};
use multigene_core::population::{Evaluation, Population};
use multigene_core::settings::{Tuning, Variation};
use multigene_core::tree::functions::FunctionSet;
use multigene_core::tree::gene::{Node, depth, is_tree};
use multigene_core::tree::individual::Individual;
use multigene_core::tree::text;
use multigene_core::vary::grow::{Birth, LeafFrequencies, Limits, Primitives, Synchronisation};
use multigene_core::vary::mutate::Mutation;
use rand::RngExt;

#[path = "breeding/draws.rs"]
mod draws;
#[path = "breeding/growth.rs"]
mod growth;
use draws::{children, constants_only};

static GO: AtomicBool = AtomicBool::new(false);
const MODES: [Synchronisation; 3] = [
    Synchronisation::Unsynchronised,
    Synchronisation::Synchronised,
    Synchronisation::Global,
];

fn variation() -> Variation {
    Variation {
        high_level_crossover: 0.5,
        constant_mutation: 0.2,
        weights_mutation: 0.3,
        ..Variation::default()
    }
}

fn tuning(steps: usize) -> Tuning {
    Tuning {
        steps,
        tune_constants: true,
        ..Tuning::default()
    }
}

fn next(population: &Population, variation: &Variation, generation: u64) -> Population {
    let mut rng = rng(generation);
    let size = population.individuals.len();
    // A tournament of two, so that something is selected for.
    let mut draw = || {
        let (a, b) = (below(&mut rng, size), below(&mut rng, size));
        if population.individuals[a].unexplained <= population.individuals[b].unexplained {
            a
        } else {
            b
        }
    };
    let parents: Vec<(usize, usize)> = (2..size).map(|_| (draw(), draw())).collect();
    let seeds: Vec<u64> = (2..size).map(|_| rng.random()).collect();
    population.breed(&parents, &[0, 1], variation, &seeds).unwrap()
}

fn grow(primitives: &Primitives, size: u64, cache_bytes: usize) -> Population {
    let seeds: Vec<u64> = (0..size).map(|s| s * 7919 + 3).collect();
    Population::grow(
        Arc::new(primitives.clone()),
        Evaluation {
            fit_genes: true,
            dependent_below: 1e-10,
            cache_bytes,
        },
        &seeds,
    )
}

/// What is remembered of genes equals what a fresh evaluation finds, bit for bit. Returns how many columns were compared.
fn assert_caches_are_right(individual: &Individual, data: &Dataset, primitives: &Primitives) -> usize {
    let mut fresh = individual.clone();
    fresh.gram = Gram::default();
    fresh.genes.iter_mut().for_each(|gene| gene.column = None);
    fresh.evaluate(
        Context {
            data,
            library: &primitives.functions.library,
            fit_genes: true,
            dependent_below: 1e-10,
        },
        &mut Workspace::default(),
    );
    let mut compared = 0;
    for (i, (kept, new)) in individual.genes.iter().zip(&fresh.genes).enumerate() {
        let (Some(kept), Some(new)) = (&kept.column, &new.column) else {
            continue;
        };
        compared += 1;
        assert_eq!(
            (kept.mean.to_bits(), kept.norm.to_bits()),
            (new.mean.to_bits(), new.norm.to_bits()),
            "gene {i}"
        );
        assert!(
            kept.values
                .iter()
                .zip(new.values.iter())
                .all(|(a, b)| a.to_bits() == b.to_bits()),
            "column of gene {i}"
        );
    }
    if fresh.unexplained.is_finite() {
        for i in 0..individual.gram.len() {
            let same = |kept: f64, new: f64| kept.is_nan() || kept.to_bits() == new.to_bits();
            assert!(
                same(individual.gram.target(i), fresh.gram.target(i)),
                "product of gene {i} with the target"
            );
            assert!(
                (0..individual.gram.len()).all(|j| same(individual.gram.get(i, j), fresh.gram.get(i, j))),
                "products of gene {i}"
            );
        }
    }
    if individual.is_evaluated() && individual.rivals.is_none() {
        assert_eq!(individual.unexplained.to_bits(), fresh.unexplained.to_bits());
        assert_eq!(individual.coefficients, fresh.coefficients);
    }
    compared
}

/// Many kinds of settings; the number of generations each is bred for.
fn cases() -> Vec<(Primitives, usize, usize)> {
    let mut cases = Vec::new();
    for mode in MODES {
        cases.push((paper(3, mode), 60, usize::MAX));
        let tight = Limits {
            max_genes: 2,
            max_nodes: 9,
            max_depth: 4,
        };
        cases.push((
            Primitives {
                limits: tight,
                initial_depth: 9,
                mutation_depth: 9,
                ..paper(2, mode)
            },
            300,
            usize::MAX,
        ));
        let single = Limits {
            max_genes: 1,
            max_nodes: 1,
            max_depth: 1,
        };
        cases.push((
            Primitives {
                limits: single,
                ..paper(2, mode)
            },
            20,
            usize::MAX,
        ));
        let wide = Limits {
            max_genes: 12,
            max_nodes: usize::MAX,
            max_depth: 8,
        };
        // A budget of a few columns each, so that caches are incomplete.
        cases.push((
            Primitives {
                limits: wide,
                initial_depth: 4,
                ..paper(3, mode)
            },
            15,
            40 * 4 * 96 * 8,
        ));
        for birth in [Birth::Sparse, Birth::Random] {
            let functions = all_functions();
            cases.push((
                Primitives {
                    synchronisation: mode,
                    birth,
                    birth_range: (-1.0, 1.0),
                    birth_dense: 0.2,
                    scales: Vec::new(),
                    ..primitives(functions, 3)
                },
                60,
                usize::MAX,
            ));
        }
    }
    cases
}

#[test]
fn limits_tables_and_caches_hold_after_any_chain() {
    for (number, (primitives, generations, bytes)) in cases().into_iter().enumerate() {
        let data = common::dataset(number as u64, 90, primitives.n_features, number % 2 == 1);
        let mut population = grow(&primitives, 40, bytes);
        let (mut conflicts, mut remembered) = (0, 0);
        for generation in 0..generations {
            population
                .individuals
                .iter()
                .for_each(|individual| assert_sound(individual, &primitives));
            conflicts += population.individuals.iter().filter(|i| i.rivals.is_some()).count();
            let check = generation % (1 + generations / 20) == 0;
            if check {
                remembered += population
                    .individuals
                    .iter()
                    .map(|i| assert_caches_are_right(i, &data, &primitives))
                    .sum::<usize>();
            }
            match generation % 4 {
                3 if primitives.synchronisation == Synchronisation::Global => population.tune_shared(&data, &tuning(0), &GO),
                3 => population.tune(&data, &tuning(0), &GO),
                _ => population.evaluate(&data, &GO),
            }
            if check {
                population.individuals.iter().for_each(|i| {
                    assert_caches_are_right(i, &data, &primitives);
                });
            }
            assert!(population.individuals.iter().all(|i| i.is_evaluated() && i.rivals.is_none()));
            if let Some(shared) = population.shared() {
                for individual in &population.individuals {
                    assert!((0..shared.len() as u32).all(|row| individual.weights.row(row).values == shared.row(row).values));
                }
            }
            population = next(&population, &variation(), generation as u64);
        }
        assert!(
            remembered > 0 || bytes == 0 || primitives.limits.max_genes == 1,
            "case {number} never remembered a column"
        );
        if primitives.synchronisation == Synchronisation::Synchronised && primitives.limits.max_nodes > 1 {
            assert!(conflicts > 0, "case {number} never had a conflict");
        }
    }
}

#[test]
fn the_same_at_any_number_of_threads() {
    let run = |threads: usize, primitives: &Primitives| -> Vec<String> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let data = common::dataset(5, 150, primitives.n_features, true);
            let mut population = grow(primitives, 24, usize::MAX);
            for generation in 0..6 {
                if primitives.synchronisation == Synchronisation::Global {
                    population.perturb_shared(0.1, &[generation, generation + 1]);
                    population.tune_shared(&data, &tuning(5), &GO);
                    population.tune_shared(&data, &tuning(5), &GO);
                } else {
                    population.tune(&data, &tuning(30), &GO);
                }
                population.evaluate(&data, &GO);
                population = next(&population, &variation(), generation);
            }
            population.evaluate(&data, &GO);
            let describe = |i: &Individual| {
                let texts: Vec<String> = i
                    .genes
                    .iter()
                    .map(|g| text::print(&g.nodes, &i.weights, &primitives.functions.library))
                    .collect();
                format!("{texts:?} {:?} {:?} {:?}", i.intercept, i.coefficients, i.unexplained)
            };
            population.individuals.iter().map(describe).collect()
        })
    };
    for mode in MODES {
        for primitives in [
            paper(3, mode),
            Primitives {
                synchronisation: mode,
                ..primitives(all_functions(), 3)
            },
        ] {
            let one = run(1, &primitives);
            assert_eq!(one, run(2, &primitives));
            assert_eq!(one, run(3, &primitives));
        }
    }
}

#[test]
fn parents_beyond_the_limits_do_not_panic() {
    let deep = of_texts(&[format!("{}x0{}", "sin(".repeat(30), ")".repeat(30))]);
    let limits = Limits {
        max_genes: 2,
        max_nodes: 5,
        max_depth: 3,
    };
    let children = children(
        deep.clone(),
        deep,
        Primitives {
            limits,
            ..constants_only(2)
        },
        &variation(),
        300,
    );
    assert!(children.iter().all(|c| c.genes.iter().all(|g| is_tree(&g.nodes))));
}

#[test]
fn a_stop_leaves_individuals_as_they_are() {
    let primitives = paper(2, Synchronisation::Unsynchronised);
    let data = common::dataset(1, 50, 2, false);
    let mut population = grow(&primitives, 10, usize::MAX);
    population.tune(&data, &tuning(10), &AtomicBool::new(true));
    assert!(population.individuals.iter().all(|i| !i.is_evaluated()));
    population.evaluate(&data, &GO);
    assert!(population.individuals.iter().all(Individual::is_evaluated));
}

#[test]
fn detached_models_predict_what_the_individual_does() {
    let primitives = Primitives {
        synchronisation: Synchronisation::Synchronised,
        ..primitives(all_functions(), 3)
    };
    let data = common::dataset(3, 70, 3, false);
    let mut population = grow(&primitives, 60, usize::MAX);
    population.tune(&data, &tuning(5), &GO);
    let fresh: Vec<Vec<f64>> = (0..3).map(|j| (0..70).map(|k| data.column(j)[k]).collect()).collect();
    let features = Dataset::features(fresh, 70, data.level());
    let mut models = 0;
    for (i, individual) in population
        .individuals
        .iter()
        .enumerate()
        .filter(|(_, i)| i.unexplained.is_finite())
    {
        let model = population.model(i).unwrap();
        models += 1;
        let prediction = model.predict(&features, &mut Workspace::default());
        let target = data.target();
        let raw = |k: usize| target.mean + target.norm * target.values[k];
        let left: f64 = (0..70).map(|k| (raw(k) - prediction[k]).powi(2)).sum::<f64>() / target.norm.powi(2);
        let said = individual
            .peak
            .as_ref()
            .map_or(individual.unexplained, |peak| peak.unexplained);
        assert_eq!(model.unexplained, said);
        let size: f64 = model.coefficients.iter().map(|c| c.abs()).fold(1.0, f64::max);
        assert!((left - said).abs() < 1e-7 * size, "{left} but {said} was said");
        assert!(prediction.iter().all(|v| v.is_finite()));
    }
    assert!(models > 20);
}
