//! Crossover and mutation: what is drawn, how often, and what stays.
use super::*;

/// Primitives whose leaves are constants alone, so that variables tell where a gene comes from.
pub fn constants_only(max_genes: usize) -> Primitives {
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
pub fn children(
    first: Individual,
    second: Individual,
    primitives: Primitives,
    variation: &Variation,
    number: u64,
) -> Vec<Individual> {
    let evaluation = Evaluation {
        fit_genes: true,
        dependent_below: 1e-10,
        cache_bytes: 0,
    };
    let population = Population::of(vec![first, second], Arc::new(primitives), evaluation, None);
    let seeds: Vec<u64> = (0..number).map(|s| s.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    population
        .breed(&vec![(0, 1); number as usize], &[], variation, &seeds)
        .unwrap()
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
