//! Properties of random trees: their parts, their text with damage, their range, their printed size, and what shortening leaves.
//! `PROPTEST_CASES=200000 cargo test --release -p multigene-core --test properties --test text` is the long run.
mod common;

use std::sync::atomic::AtomicBool;

use common::{all_functions, assert_sound, evaluate_gene, paper, primitives, random_gene, rng, tame_functions, uniform};
use multigene_core::evaluate::outer_fit::{Context, Workspace};
use multigene_core::tree::functions::expand;
use multigene_core::tree::gene::{Node, depth, depths, is_tree, levels, sizes, start};
use multigene_core::tree::individual::Individual;
use multigene_core::tree::interval::Interval;
use multigene_core::tree::text::print;
use multigene_core::tree::weights::Weights;
use multigene_core::tune::levenberg_marquardt::LevenbergMarquardt;
use multigene_core::tune::shorten::shorten;
use multigene_core::vary::grow::{SlotRng, Synchronisation};
use multigene_core::vector_math::Level;
use proptest::prelude::*;

/// A random tree of the engine's operators alone.
fn gene(seed: u64, depth: usize, features: usize) -> (Vec<Node>, Weights) {
    let primitives = primitives(all_functions(), features);
    let (nodes, mut weights) = random_gene(&primitives, depth, &mut rng(seed));
    let nodes = expand(&nodes, &mut weights, &primitives.functions.library);
    (nodes, weights)
}

/// A model of some random genes, its coefficients drawn.
fn model(seed: u64, genes: usize, features: usize) -> Individual {
    let mut drawn = rng(seed);
    let texts: Vec<String> = (0..genes as u64)
        .map(|k| {
            let (nodes, weights) = gene(seed.wrapping_add(k), 1 + (seed as usize + k as usize) % 5, features);
            print(&nodes, &weights, &[])
        })
        .collect();
    let coefficients = (0..genes).map(|_| uniform(&mut drawn, 0.1, 3.0)).collect();
    Individual::parse(&texts, uniform(&mut drawn, -2.0, 2.0), coefficients).unwrap()
}

/// Text with pieces cut, doubled, turned round or replaced, as characters.
fn damaged(text: &str, rng: &mut SlotRng) -> String {
    let mut signs: Vec<char> = text.chars().collect();
    let odd = [
        '(', ')', '[', ']', '{', '}', ',', ':', '*', '^', '-', '+', '.', 'e', '0', '9', 'x', 'é', '\0', '\u{202e}',
    ];
    for _ in 0..1 + common::below(rng, 4) {
        let i = common::below(rng, signs.len() + 1);
        let j = (i + common::below(rng, 12)).min(signs.len());
        let piece: Vec<char> = signs[i..j].to_vec();
        let new = match common::below(rng, 4) {
            0 => Vec::new(),
            1 => [piece.clone(), piece].concat(),
            2 => piece.into_iter().rev().collect(),
            _ => vec![odd[common::below(rng, odd.len())]; 1 + common::below(rng, 3)],
        };
        signs.splice(i..j, new);
    }
    signs.into_iter().collect()
}

proptest! {
    #![proptest_config(common::cases(800))]

    /// Every node ends a subtree that is a tree of its own, with the size and depth that the lists say.
    #[test]
    fn parts_of_a_tree_are_trees(seed in any::<u64>(), deep in 1usize..8) {
        let (nodes, _) = gene(seed, deep, 3);
        let (sizes, depths, levels) = (sizes(&nodes), depths(&nodes), levels(&nodes));
        prop_assert!(is_tree(&nodes));
        for end in 0..nodes.len() {
            let part = &nodes[start(&nodes, end)..=end];
            prop_assert!(is_tree(part));
            prop_assert_eq!(part.len(), sizes[end]);
            prop_assert_eq!(depth(part), depths[end]);
            prop_assert!(levels[end] + depths[end] <= depth(&nodes) + 1);
        }
        // With a leaf less, or a leaf more, it is none.
        prop_assert!(!is_tree(&nodes[1..]));
        let more: Vec<Node> = nodes.iter().copied().chain([Node::Variable(0)]).collect();
        prop_assert!(!is_tree(&more));
    }

    /// Damaged text is a gene that can be printed, measured and evaluated, or an error that says what is wrong.
    #[test]
    fn damaged_text_is_a_gene_or_an_error(seed in any::<u64>(), deep in 1usize..6) {
        let (nodes, weights) = gene(seed, deep, 3);
        let text = damaged(&print(&nodes, &weights, &[]), &mut rng(seed));
        match Individual::parse(std::slice::from_ref(&text), 0.0, vec![1.0]) {
            Ok(read) => {
                prop_assert!(is_tree(&read.genes[0].nodes));
                prop_assert!(read.printed_size(&[]) >= 1);
                let again = read.texts();
                prop_assert_eq!(&Individual::parse(&again, 0.0, vec![1.0]).unwrap().texts(), &again);
                if read.max_feature().is_none_or(|largest| largest < 3) {
                    let x = common::columns(&mut rng(seed), 5, 3);
                    prop_assert_eq!(evaluate_gene(&read.genes[0].nodes, &read.weights, &[], x, Level::detect()).len(), 5);
                }
            }
            Err(error) => prop_assert!(error.to_string().len() > 10),
        }
    }

    /// Values lie within the range that interval arithmetic gives for their box; a finite range has no row without a value.
    #[test]
    fn values_lie_within_their_range(seed in any::<u64>(), genes in 1usize..4, decades in -3.0f64..3.0) {
        let model = model(seed, genes, 3);
        let (mut drawn, scale) = (rng(seed ^ 1), 10f64.powf(decades));
        let bounds: Vec<(f64, f64)> = (0..3)
            .map(|_| {
                let (a, b) = (uniform(&mut drawn, -scale, scale), uniform(&mut drawn, -scale, scale));
                (a.min(b), a.max(b))
            })
            .collect();
        let intervals: Vec<Interval> = bounds.iter().map(|&(low, high)| Interval::new(low, high)).collect();
        let range = model.range(&intervals);
        if !(range.low.is_finite() && range.high.is_finite()) {
            return Ok(());
        }
        let inside = |drawn: &mut SlotRng, (low, high): (f64, f64), k: usize| match k {
            0 => low,
            1 => high,
            _ => uniform(drawn, low, high),
        };
        let columns: Vec<Vec<f64>> =
            bounds.iter().map(|&each| (0..40).map(|k| inside(&mut drawn, each, k)).collect()).collect();
        let mut values = vec![model.intercept; 40];
        let mut size = model.intercept.abs();
        for (gene, &c) in model.genes.iter().zip(&model.coefficients) {
            let column = evaluate_gene(&gene.nodes, &model.weights, &[], columns.clone(), Level::detect());
            size += column.iter().map(|v| (c * v).abs()).fold(0.0, f64::max);
            values.iter_mut().zip(column).for_each(|(value, v)| *value += c * v);
        }
        let slack = 1e-7 * (size + range.low.abs().max(range.high.abs()));
        for value in values {
            prop_assert!(value.is_finite(), "{:?}", model.texts());
            prop_assert!(range.low - slack <= value && value <= range.high + slack, "{value:e} {range:?} {:?}", model.texts());
        }
    }

    /// The printed size: that of its own text, the same in any order of genes, and not less with a gene more.
    #[test]
    fn printed_size_is_that_of_the_formula(seed in any::<u64>(), genes in 1usize..5, shifted in any::<[bool; 3]>()) {
        let whole = model(seed, genes, 3);
        let size = whole.printed_size(&shifted);
        let again = Individual::parse(&whole.texts(), whole.intercept, whole.coefficients.clone()).unwrap();
        prop_assert_eq!(again.printed_size(&shifted), size);

        let order = |by: &dyn Fn(usize) -> usize| {
            let texts: Vec<String> = (0..genes).map(|k| whole.texts()[by(k)].clone()).collect();
            let coefficients = (0..genes).map(|k| whole.coefficients[by(k)]).collect();
            Individual::parse(&texts, whole.intercept, coefficients).unwrap().printed_size(&shifted)
        };
        prop_assert_eq!(order(&|k| genes - 1 - k), size);

        let mut without = whole.clone();
        without.coefficients[0] = 0.0;
        prop_assert!(without.printed_size(&shifted) <= size, "{:?}", whole.texts());
        let nodes: usize = whole.genes.iter().map(|gene| gene.nodes.len()).sum();
        prop_assert!(size <= 200 * (nodes + 1), "{size} of {nodes} nodes");
    }
}

proptest! {
    #![proptest_config(common::cases(150))]

    /// Shortening leaves a sound, evaluated model whose price has not grown; it stops at once where it is told to.
    #[test]
    fn shortening_never_costs_more(
        seed in any::<u64>(), slot in 0usize..12, rows in 5usize..200, weighted in any::<bool>(), price in 1e-4f64..0.1,
        stopped in any::<bool>(),
    ) {
        let primitives = match seed % 2 {
            0 => primitives(tame_functions(), 3),
            _ => paper(3, Synchronisation::Unsynchronised),
        };
        let data = common::dataset(seed, rows, 3, weighted);
        let context = Context { library: &primitives.functions.library, ..Context::of(&data) };
        let mut workspace = Workspace::default();
        let mut individual = primitives.individual(slot, &mut rng(seed));
        individual.evaluate(context, &mut workspace);
        let cost = |model: &Individual| model.unexplained.max(1e-13).ln() + price * data.complexity(model) as f64;
        let before = individual.clone();
        let tuning = LevenbergMarquardt { max_iterations: 2, ..LevenbergMarquardt::default() };
        let stop = AtomicBool::new(stopped);
        let on_the_way = shorten(&mut individual, context, price, &tuning, &mut workspace, &mut rng(seed), &stop);
        assert_sound(&individual, &primitives);
        let mut least = cost(&before);
        for model in &on_the_way {
            assert_sound(model, &primitives);
            prop_assert!(cost(model) <= least + 1e-9);
            least = cost(model);
        }
        if !before.unexplained.is_finite() {
            prop_assert_eq!(individual.structure(), before.structure());
            return Ok(());
        }
        prop_assert!(cost(&individual) <= cost(&before) + 1e-9, "{} after {}", cost(&individual), cost(&before));
        prop_assert!(individual.is_evaluated() && individual.unexplained.is_finite());
        let mut anew = individual.clone();
        anew.forget();
        anew.evaluate(context, &mut workspace);
        prop_assert_eq!(anew.unexplained.to_bits(), individual.unexplained.to_bits());
        prop_assert!(individual.genes.len() <= before.genes.len());
    }
}
