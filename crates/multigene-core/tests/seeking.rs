//! What law seekers add to breeding: neutral insertion, rounding, and the neighbours that hill climbing looks at.
mod common;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use common::{all_functions, assert_sound, of_texts, paper, primitives};
use multigene_core::evaluate::outer_fit::Workspace;
use multigene_core::population::{Evaluation, Population};
use multigene_core::settings::Variation;
use multigene_core::tree::functions::FunctionSet;
use multigene_core::tree::gene::{Function, Node};
use multigene_core::tree::individual::Individual;
use multigene_core::tree::operator::Operator;
use multigene_core::tree::text;
use multigene_core::vary::grow::{Birth, LeafFrequencies, Limits, Primitives, Synchronisation};
use multigene_core::vary::mutate::Mutation;
use multigene_core::vary::neighbours::neighbours;
use proptest::prelude::*;

static GO: AtomicBool = AtomicBool::new(false);
const EVALUATION: Evaluation = Evaluation {
    fit_genes: true,
    dependent_below: 1e-10,
    cache_bytes: usize::MAX,
};

fn only(kinds: &[Mutation]) -> Variation {
    Variation {
        crossover: 0.0,
        mutation: 1.0,
        constant_mutation: 0.0,
        weights_sigma: 1.0,
        more_mutations: kinds.iter().map(|&kind| (kind, 1.0)).collect(),
        ..Variation::default()
    }
}

/// Like a seeking island's.
fn seeking(max_nodes: usize, max_depth: usize) -> Primitives {
    let names = [
        "add", "sub", "mul", "div", "sin", "cos", "exp", "log", "sqrt", "pow2", "tanh", "inv",
    ];
    Primitives {
        birth: Birth::Pairs,
        product_features: vec![0, 2],
        leaves: LeafFrequencies {
            variable: 3.0,
            combination: 2.0,
            product: 2.0,
            constant: 1.0,
        },
        weighted: 0.1,
        limits: Limits {
            max_genes: 4,
            max_nodes,
            max_depth,
        },
        ..primitives(FunctionSet::parse(names.map(|name| (name, None, 1.0))).unwrap(), 3)
    }
}

fn mutants(parent: Individual, primitives: Primitives, kind: Mutation, number: u64) -> Vec<Individual> {
    let population = Population::of(vec![parent], Arc::new(primitives), EVALUATION, None);
    let seeds: Vec<u64> = (0..number).map(|s| s.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    population
        .breed(&vec![(0, 0); number as usize], &[], &only(&[kind]), &seeds)
        .unwrap()
        .individuals
}

fn printed(individual: &Individual) -> Vec<String> {
    let print = |gene: &multigene_core::tree::individual::Gene| text::print(&gene.nodes, &individual.weights, &[]);
    individual.genes.iter().map(print).collect()
}

#[test]
fn neutral_insertions_hardly_change_the_value() {
    let texts = ["sin(x0) + x1*1.5".to_string()];
    let mut parent = of_texts(&texts);
    (parent.coefficients, parent.intercept) = (vec![1.0], 0.0);
    let data = common::dataset(1, 60, 3, false);
    let before = parent.predict(&data, &mut Workspace::default());
    let (mut kinds, mut close) = (HashSet::new(), 0);
    let children = mutants(parent, seeking(20, 8), Mutation::Neutral, 600);
    for mut child in children {
        assert_sound(&child, &seeking(20, 8));
        assert!(child.genes[0].nodes.len() > of_texts(&texts).genes[0].nodes.len());
        let inserted = printed(&child)[0].clone();
        kinds.insert((
            inserted.contains("exp("),
            child.genes[0].nodes.iter().any(|n| matches!(n, Node::Product(_))),
        ));
        (child.coefficients, child.intercept) = (vec![1.0], 0.0);
        let after = child.predict(&data, &mut Workspace::default());
        // Functions drawn at random may have poles; slight they are almost everywhere.
        let mut changes: Vec<f64> = before.iter().zip(&after).map(|(a, b)| (a - b).abs()).collect();
        changes.sort_by(f64::total_cmp);
        close += usize::from(changes[30] < 0.05);
    }
    assert!(close >= 570, "only {close} of 600 insertions are neutral");
    assert!(kinds.len() >= 3, "terms, products of powers and exponentials: {kinds:?}");
}

#[test]
fn without_the_functions_it_needs_a_neutral_insertion_is_a_subtree_mutation() {
    let bare = Primitives {
        functions: FunctionSet::parse([("sin", None, 1.0), ("sub", None, 1.0)]).unwrap(),
        ..seeking(20, 8)
    };
    let allowed = |node: &Node| match node {
        Node::Apply(f) | Node::Weighted(f, _) => bare.functions.functions.contains(f),
        _ => true,
    };
    for child in mutants(of_texts(&["sin(x0) - x1".into()]), bare.clone(), Mutation::Neutral, 300) {
        assert!(child.genes[0].nodes.iter().all(allowed));
    }
}

#[test]
fn rounding_makes_halves_and_drops_what_is_near_zero() {
    let parent = || of_texts(&["sin([0: 0.97 + 2.04*x0 + 0.1*x1]) + x2".into()]);
    let rounded = mutants(parent(), seeking(20, 8), Mutation::Round, 1).remove(0);
    assert_eq!(printed(&rounded), ["sin([0: 1.0 + 2.0*x0]) + x2"]);
    // What is round already is left to subtree mutation, and so is what would lose its last feature.
    for text in ["[0: 1.0 + 2.5*x0]", "[0: 0.7 + 0.1*x0]"] {
        let children = mutants(of_texts(&[text.into()]), seeking(20, 8), Mutation::Round, 50);
        assert!(children.iter().any(|child| child.genes[0].nodes.len() > 1), "{text}");
        assert!(printed(&children[0]) != [text], "{text}");
    }
}

#[test]
fn shifts_leave_the_value_as_it_is_and_a_leaf_can_lose_its_number_again() {
    let children = mutants(of_texts(&["sin(x0 * x1)".into()]), seeking(20, 8), Mutation::Shift, 100);
    let texts: HashSet<String> = children.iter().map(|child| printed(child)[0].clone()).collect();
    let expected = [
        "sin([0: 0.0 + 1.0*x0] * x1)",
        "sin(x0 * [1: 0.0 + 1.0*x1])",
        "sin(x0 * x1 + 0.0)",
    ];
    assert_eq!(texts, expected.map(String::from).into());
    let back = mutants(
        of_texts(&["sin([0: 0.5 + 2.0*x0])".into()]),
        seeking(20, 8),
        Mutation::Shift,
        1,
    );
    assert_eq!(printed(&back[0]), ["sin([0: 2.0*x0])"]);
}

#[test]
fn a_wrapped_subtree_has_values_of_the_size_of_one() {
    let typical = || vec![vec![1e3, 0.2, 1.0], vec![2e3, 0.1, 3.0], vec![4e3, 0.3, 2.0]];
    let primitives = Primitives {
        weighted: 0.0,
        typical: typical(),
        ..seeking(20, 8)
    };
    let mut wrapped = HashSet::new();
    let mut sizes = Vec::new();
    for child in mutants(of_texts(&["x0 * x1".into()]), primitives.clone(), Mutation::Wrap, 600) {
        assert_sound(&child, &primitives);
        let nodes = &child.genes[0].nodes;
        for (at, node) in nodes.iter().enumerate() {
            if let Node::Apply(function @ Function::Base(_)) = node
                && function.depends_on_scale()
            {
                wrapped.insert(*function);
                let argument = &nodes[multigene_core::tree::gene::start(nodes, at)..at];
                sizes.extend(child.size_of_values(argument, &typical()));
            }
        }
    }
    let names = [Operator::Sin, Operator::Cos, Operator::Exp, Operator::Tanh];
    assert_eq!(wrapped, names.map(Function::Base).into());
    assert_eq!(sizes.len(), 600);
    sizes.sort_by(f64::total_cmp);
    assert!(
        sizes[599] < 6.0 && (0.5..0.9).contains(&sizes[300]),
        "{} {}",
        sizes[300],
        sizes[599]
    );
}

#[test]
fn what_has_no_size_is_not_wrapped() {
    let text = "log(x0 - 9.0)"; // no value at the only point
    let primitives = Primitives {
        typical: vec![vec![1.0, 1.0, 1.0]],
        ..seeking(20, 8)
    };
    for child in mutants(of_texts(&[text.into()]), primitives, Mutation::Wrap, 50) {
        assert!(!printed(&child)[0].contains(&format!("({text})")));
    }
}

#[test]
fn neighbours_differ_in_one_place() {
    let individual = of_texts(&["sin(x0) * x1".into(), "exp(x0 + x0)".into()]);
    let found: HashSet<String> = neighbours(&individual, &seeking(20, 8))
        .iter()
        .map(|n| printed(n).join("; "))
        .collect();
    for text in [
        "exp(x0 + x0)",                    // a gene less
        "sin(x0) * x1",                    //
        "cos(x0) * x1; exp(x0 + x0)",      // another function
        "sin(x0) / x1; exp(x0 + x0)",      //
        "sin(x0); exp(x0 + x0)",           // a subtree in place of a node
        "x0 * x1; exp(x0 + x0)",           //
        "sin(x0) * x1; cos(x0)",           // f(x) in place of what depends on x alone
        "sin(x0) * x1; exp(sin(x0))",      //
        "sin(x0) * log(x1); exp(x0 + x0)", //
        "sin(x0) * x1; x0",                //
    ] {
        assert!(found.contains(text), "{text} is not among {found:?}");
    }
    assert!(!found.contains("sin(x0) * x1; exp(x0 + x0)"), "the individual itself");
}

#[test]
fn neighbours_come_in_parts_and_each_once() {
    let individual = of_texts(&["sin(x0)*x1".into(), "exp([0: 0.5 + 2.0*x0 + 1.0*x2]) + x0*x0".into()]);
    let all = neighbours(&individual, &seeking(20, 8));
    let structures: HashSet<u64> = all.iter().map(Individual::structure).collect();
    assert_eq!(structures.len(), all.len());
    let population = Population::of(vec![individual], Arc::new(seeking(20, 8)), EVALUATION, None);
    let parts: Vec<Individual> = (0..)
        .map(|part| population.neighbours(0, 7, 10 * part, 10).unwrap().individuals)
        .take_while(|part| !part.is_empty())
        .flatten()
        .collect();
    assert_eq!(parts.iter().map(Individual::structure).collect::<HashSet<u64>>(), structures);
    assert_eq!(parts.len(), all.len());
    let order = |seed| -> Vec<u64> {
        let drawn = population.neighbours(0, seed, 0, usize::MAX).unwrap();
        drawn.individuals.iter().map(Individual::structure).collect()
    };
    assert_eq!(order(1), order(1));
    assert_ne!(order(1), order(2));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Mutants and neighbours are within the limits, in every mode, after any chain of all kinds of mutation.
    #[test]
    fn mutants_and_neighbours_stay_sound(seed in any::<u64>(), max_nodes in 1usize..20, max_depth in 1usize..7, case in 0usize..5) {
        let mode = [Synchronisation::Unsynchronised, Synchronisation::Synchronised, Synchronisation::Global][case % 3];
        let limits = Limits { max_genes: 3, max_nodes, max_depth };
        let primitives = match case {
            0..3 => Primitives { limits, synchronisation: mode, ..primitives(all_functions(), 3) },
            3 => Primitives { limits, ..paper(2, Synchronisation::Unsynchronised) },
            _ => seeking(max_nodes, max_depth),
        };
        let data = common::dataset(seed, 40, primitives.n_features, false);
        let seeds: Vec<u64> = (0..12).map(|k| seed.wrapping_add(k * 7919)).collect();
        let mut population = Population::grow(Arc::new(primitives.clone()), EVALUATION, &seeds);
        let kinds = Mutation::ALL;
        for generation in 0..6u64 {
            let seeds: Vec<u64> = seeds.iter().map(|s| s ^ (generation << 32)).collect();
            population = population.breed(&(0..12).map(|k| (k, k)).collect::<Vec<_>>(), &[], &only(&kinds), &seeds).unwrap();
            population.individuals.iter().for_each(|i| assert_sound(i, &primitives));
            let around = population.neighbours(generation as usize, seed, 0, 40).unwrap();
            around.individuals.iter().for_each(|i| assert_sound(i, &primitives));
            population.evaluate(&data, &GO);
        }
        let drawn = |node: &Node| match node {
            Node::Apply(f @ Function::Base(Operator::Exp)) => primitives.functions.functions.contains(f),
            _ => true,
        };
        prop_assert!(population.individuals.iter().flat_map(|i| &i.genes).all(|g| g.nodes.iter().all(drawn)));
    }
}
