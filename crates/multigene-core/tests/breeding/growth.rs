//! The initial population and random trees.
use super::*;
use multigene_core::tree::individual::Gene;

#[test]
fn the_initial_population_is_ramped_half_and_half() {
    let primitives = Primitives {
        initial_depth: 5,
        ..paper(3, Synchronisation::Unsynchronised)
    };
    let population = grow(&primitives, 400, 0);
    let mut counts = [0; 4];
    for (slot, individual) in population.individuals.iter().enumerate() {
        let (wanted, full) = (1 + slot % 5, (slot / 5 + slot % 5) % 2 == 1);
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
fn half_grow_half_full_whatever_the_number_of_individuals() {
    // Functions of two operands only, hardly any leaves: what is not full was not meant to be.
    let mut primitives = Primitives {
        initial_depth: 11,
        ..paper(3, Synchronisation::Unsynchronised)
    };
    primitives.limits.max_depth = 11;
    primitives.functions.frequencies = primitives
        .functions
        .functions
        .iter()
        .map(|f| if f.arity() == 2 { 1.0 } else { 0.0 })
        .collect();
    for size in [50, 100, 77] {
        let mut full = vec![(0, 0); 12];
        for (slot, individual) in grow(&primitives, size, 3).individuals.iter().enumerate() {
            let depths = 1 + slot % 11;
            let is_full = |gene: &Gene| gene.nodes.len() == (1 << depths) - 1;
            full[depths].0 += usize::from(individual.genes.iter().all(is_full));
            full[depths].1 += 1;
        }
        // Below depth 3 trees that may end early often do not.
        let deep: Vec<(usize, usize)> = full.split_off(4);
        assert!(
            deep.iter().all(|&(full, all)| full.abs_diff(all - full) <= 1),
            "{size}: {deep:?}"
        );
        let (fulls, all) = deep.iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        assert!(fulls.abs_diff(all - fulls) <= 1, "{size}: {fulls} of {all}");
    }
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
