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
    population.breed(&parents, &[0, 1], variation, &seeds)
}

fn grow(primitives: &Primitives, size: u64, cache_bytes: usize) -> Population {
    let seeds: Vec<u64> = (0..size).map(|s| s * 7919 + 3).collect();
    Population::grow(
        Arc::new(primitives.clone()),
        Evaluation {
            fit_genes: true,
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
                    population.perturb_shared(0.1, generation);
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

/// Primitives whose leaves are constants alone, so that variables tell where a gene comes from.
fn constants_only(max_genes: usize) -> Primitives {
    Primitives {
        leaves: LeafFrequencies {
            variable: 0.0,
            combination: 0.0,
            product: 0.0,
            constant: 1.0,
        },
        limits: Limits {
            max_genes,
            max_nodes: usize::MAX,
            max_depth: 50,
        },
        weighted: 0.0,
        ..primitives(FunctionSet::paper(), 40)
    }
}

/// Children of two parents, `number` of them.
fn children(
    first: Individual,
    second: Individual,
    primitives: Primitives,
    variation: &Variation,
    number: u64,
) -> Vec<Individual> {
    let evaluation = Evaluation {
        fit_genes: true,
        cache_bytes: 0,
    };
    let population = Population::of(vec![first, second], Arc::new(primitives), evaluation, None);
    let seeds: Vec<u64> = (0..number).map(|s| s.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    population
        .breed(&vec![(0, 1); number as usize], &[], variation, &seeds)
        .individuals
}

fn variables(individual: &Individual) -> Vec<u32> {
    let feature = |gene: &multigene_core::tree::individual::Gene| match gene.nodes[..] {
        [Node::Variable(feature)] => feature,
        _ => panic!("not a bare variable"),
    };
    individual.genes.iter().map(feature).collect()
}

#[test]
fn high_level_crossover_never_drops_own_genes_that_stay() {
    let only = |r: f64| Variation {
        crossover: 1.0,
        mutation: 0.0,
        high_level_crossover: 1.0,
        gene_selection: r,
        ..variation()
    };
    let own: Vec<String> = (0..4).map(|i| format!("x{i}")).collect();
    let foreign: Vec<String> = (20..26).map(|i| format!("x{i}")).collect();
    for max_genes in [4, 5, 10] {
        let run = |r: f64| children(of_texts(&own), of_texts(&foreign), constants_only(max_genes), &only(r), 2000);
        assert!(run(0.0).iter().all(|child| variables(child) == [0, 1, 2, 3]));
        let (mut kept, mut received) = (0, 0);
        for child in run(0.5) {
            let genes = variables(&child);
            let from_own = genes.iter().filter(|&&g| g < 20).count();
            assert!((1..=max_genes).contains(&genes.len()) && from_own >= 1);
            assert!(
                genes.windows(2).all(|pair| pair[0] < pair[1]),
                "own genes first, each in its order: {genes:?}"
            );
            kept += from_own;
            received += genes.len() - from_own;
        }
        // Each of four stays with probability one half, except that all four never leave: 2 + 1/16 on average.
        let kept = kept as f64 / 2000.0;
        assert!(
            (kept - 2.0625).abs() < 0.1,
            "{kept} own genes stay on average with room for {max_genes}"
        );
        assert!(received > 2000);
        for child in run(1.0) {
            let genes = variables(&child);
            assert_eq!(genes.iter().filter(|&&g| g < 20).count(), 1);
            assert_eq!(genes.len(), max_genes.min(1 + 5));
        }
    }
}

#[test]
fn two_single_gene_parents_exchange_subtrees_instead() {
    let high = Variation {
        crossover: 1.0,
        mutation: 0.0,
        high_level_crossover: 1.0,
        ..variation()
    };
    let (first, second) = (
        of_texts(&["sin(x0) + x1*x2".into()]),
        of_texts(&["exp(x20) * (x21 - x22)".into()]),
    );
    let children = children(first, second, constants_only(5), &high, 500);
    let feature = |n: &Node| matches!(n, Node::Variable(f) if *f >= 20);
    assert!(children.iter().all(|c| c.genes.len() == 1 && is_tree(&c.genes[0].nodes)));
    let mixed = children.iter().filter(|c| c.genes[0].nodes.iter().any(feature)).count();
    assert_eq!(mixed, 500);
}

#[test]
fn operators_are_drawn_as_the_probabilities_say() {
    let low = Variation {
        high_level_crossover: 0.0,
        constant_mutation: 0.0,
        weights_mutation: 0.0,
        ..variation()
    };
    let (first, second) = (of_texts(&["x0 + x0*x0".into()]), of_texts(&["sin(x20)".into()]));
    let own = first.genes[0].nodes.clone();
    let (mut crossed, mut mutated, mut copied) = (0.0, 0.0, 0.0);
    for child in children(first, second, constants_only(5), &low, 20_000) {
        let nodes = &child.genes[0].nodes;
        if nodes.contains(&Node::Variable(20)) {
            crossed += 1.0 / 20_000.0;
        } else if *nodes == own {
            copied += 1.0 / 20_000.0;
        } else {
            mutated += 1.0 / 20_000.0;
        }
    }
    assert!((crossed - 0.84f64).abs() < 0.015 && (mutated - 0.14f64).abs() < 0.015 && (copied - 0.02f64).abs() < 0.006);
}

#[test]
fn kinds_of_mutation_are_drawn_as_their_frequencies_say() {
    let all = Variation {
        crossover: 0.0,
        mutation: 1.0,
        constant_mutation: 0.3,
        weights_mutation: 0.2,
        ..variation()
    };
    let parent = || of_texts(&["x0*1.5 + sin([0: 0.5 + 2.0*x0])".into(), "x1*2.5".into()]);
    let shape = |i: &Individual| {
        i.genes
            .iter()
            .flat_map(|g| &g.nodes)
            .map(|n| n.with_row(0))
            .collect::<Vec<_>>()
    };
    let values = |i: &Individual| {
        let mut of: [Vec<f64>; 2] = Default::default();
        for node in i.genes.iter().flat_map(|g| &g.nodes) {
            if let Some(row) = node.row() {
                of[usize::from(matches!(node, Node::Combination(_)))].extend(i.weights.row(row).values);
            }
        }
        of
    };
    let before = values(&parent());
    let (mut constants, mut combinations, mut moves) = (0, 0, Vec::new());
    for child in children(parent(), parent(), constants_only(5), &all, 10_000) {
        if shape(&child) != shape(&parent()) {
            continue;
        }
        let after = values(&child);
        if after[1] != before[1] {
            combinations += 1;
            assert!(
                after[1].iter().zip(&before[1]).all(|(a, b)| a != b),
                "every weight of the LCF moves"
            );
            moves.extend(after[1].iter().zip(&before[1]).map(|(a, b)| a - b));
        } else {
            let moved = after[0].iter().zip(&before[0]).filter(|(a, b)| a != b).count();
            constants += usize::from(moved == 1);
        }
    }
    assert!((combinations as f64 / 10_000.0 - 0.2).abs() < 0.02, "{combinations}");
    assert!((constants as f64 / 10_000.0 - 0.3).abs() < 0.06, "{constants}");
    let deviation = (moves.iter().map(|m| m * m).sum::<f64>() / moves.len() as f64).sqrt();
    assert!((deviation - 3.0).abs() < 0.2, "σ is {deviation}");
}

#[test]
fn nothing_to_mutate_means_subtree_mutation() {
    for kind in [Mutation::Constant, Mutation::Weights] {
        let only = Variation {
            crossover: 0.0,
            mutation: 1.0,
            constant_mutation: 0.0,
            weights_mutation: 0.0,
            more_mutations: vec![(kind, 1.0)],
            ..variation()
        };
        let children = children(
            of_texts(&["sin(x0)".into()]),
            of_texts(&["x0".into()]),
            constants_only(5),
            &only,
            50,
        );
        assert!(
            children
                .iter()
                .all(|c| c.genes[0].nodes.iter().any(|n| matches!(n, Node::Constant(_))))
        );
    }
}

#[test]
fn shared_weights_are_not_an_individuals_to_mutate() {
    let primitives = paper(2, Synchronisation::Global);
    let mut population = grow(&primitives, 40, usize::MAX);
    population.evaluate(&common::dataset(1, 50, 2, false), &GO);
    let only = Variation {
        crossover: 0.0,
        mutation: 1.0,
        constant_mutation: 0.0,
        weights_mutation: 1.0,
        ..variation()
    };
    let bred = next(&population, &only, 1);
    for individual in &bred.individuals {
        assert!((0..2).all(|row| individual.weights.row(row).values == bred.shared().unwrap().row(row).values));
    }
}

#[test]
fn the_initial_population_is_ramped_half_and_half() {
    let primitives = Primitives {
        initial_depth: 5,
        ..paper(3, Synchronisation::Unsynchronised)
    };
    let population = grow(&primitives, 400, 0);
    let mut counts = [0; 4];
    for (slot, individual) in population.individuals.iter().enumerate() {
        let (wanted, full) = (1 + slot % 5, (slot / 5) % 2 == 1);
        for gene in &individual.genes {
            let got = depth(&gene.nodes);
            assert!(if full { got == wanted } else { got <= wanted }, "slot {slot}: depth {got}");
        }
        counts[individual.genes.len() - 1] += 1;
    }
    assert!(
        counts.iter().all(|&c| (65..140).contains(&c)),
        "numbers of genes are uniform: {counts:?}"
    );
    let texts: std::collections::HashSet<String> = population
        .individuals
        .iter()
        .map(|i| {
            i.genes
                .iter()
                .map(|g| text::print(&g.nodes, &i.weights, &[]))
                .collect::<Vec<_>>()
                .join(";")
        })
        .collect();
    assert!(texts.len() > 390, "{} different individuals", texts.len());
}

#[test]
fn leaves_and_functions_are_drawn_by_frequency() {
    let primitives = paper(5, Synchronisation::Unsynchronised);
    let mut rng = rng(9);
    let (mut variables, mut combinations, mut constants) = (0, 0, 0);
    let mut weights = Default::default();
    for _ in 0..11_000 {
        match primitives.leaf(&mut weights, &mut rng) {
            Node::Variable(_) => variables += 1,
            Node::Combination(_) => combinations += 1,
            Node::Constant(row) => {
                constants += 1;
                assert!(weights.constant(row).abs() <= 10.0);
            }
            other => panic!("{other:?}"),
        }
    }
    // D variables, D LCFs and one constant, all alike.
    assert!((variables as f64 - 5000.0).abs() < 250.0 && (combinations as f64 - 5000.0).abs() < 250.0);
    assert!((constants as f64 - 1000.0).abs() < 150.0);
    let mut count = std::collections::HashMap::new();
    for _ in 0..16_000 {
        let mut nodes = Vec::new();
        primitives.tree(multigene_core::vary::grow::Shape::Full, 2, &mut nodes, &mut weights, &mut rng);
        *count.entry(*nodes.last().unwrap()).or_insert(0) += 1;
    }
    assert!(
        count.len() == 16 && count.values().all(|c| (800..1200).contains(c)),
        "{count:?}"
    );
}

#[test]
fn one_hot_birth_and_lone_features() {
    let primitives = paper(3, Synchronisation::Unsynchronised);
    let terms = primitives.new_combination(1, &mut rng(1));
    assert_eq!(terms, [(u32::MAX, 0.0), (0, 0.0), (1, 1.0), (2, 0.0)]);
    // Without features there are constants only, and nothing panics.
    let none = Primitives {
        n_features: 0,
        ..paper(3, Synchronisation::Unsynchronised)
    };
    let data = Dataset::new(vec![], &[1.0, 2.0, 4.0], None, multigene_core::vector_math::Level::detect()).unwrap();
    let mut population = grow(&none, 20, 0);
    for generation in 0..5 {
        population.tune(&data, &tuning(3), &GO);
        population = next(&population, &variation(), generation);
    }
    population.individuals.iter().for_each(|i| assert_sound(i, &none));
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
        let model = population.model(i);
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
