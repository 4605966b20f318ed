//! The two synchronised modes.
use super::*;

/// An individual in synchronised mode: index 0 used by three nodes in two genes, index 1 by one.
fn shared_individual() -> Individual {
    let mut weights = Weights::default();
    weights.push(0, [(BIAS, 0.2), (0, 1.1), (1, -0.3)]);
    weights.push(1, [(BIAS, -0.1), (0, 0.4), (1, 0.8)]);
    let mut individual = Individual::empty(weights);
    let apply = |operator| Node::Apply(Function::Base(operator));
    let (first, second) = (Node::Combination(0), Node::Combination(1));
    individual.genes = vec![
        Gene::new(vec![first, apply(Operator::Sin), first, apply(Operator::Mul)]),
        Gene::new(vec![first, apply(Operator::Tanh), second, apply(Operator::Add)]),
    ];
    individual
}

#[test]
fn the_gradient_of_a_shared_row_is_the_sum_over_its_nodes() {
    let data = common::dataset(3, 70, 2, true);
    let context = Context {
        data: &data,
        library: &[],
        fit_genes: true,
        dependent_below: 1e-10,
    };
    let mut shared = shared_individual();
    // The same model with a row of its own for every node.
    let mut apart = Individual::empty(Weights::default());
    let mut owners = Vec::new();
    for gene in &shared.genes {
        let nodes = gene.nodes.iter().map(|node| match node.row() {
            Some(row) => {
                owners.push(row);
                node.with_row(apart.weights.push_copy(&shared.weights, row))
            }
            None => *node,
        });
        let nodes = nodes.collect();
        apart.genes.push(Gene::new(nodes));
    }
    let of = |individual: &mut Individual| {
        let mut workspace = Workspace::default();
        individual.evaluate(context, &mut workspace);
        gradient(individual, context, Tunable::ALL, &mut workspace);
        workspace.gradient
    };
    let (together, apart) = (of(&mut shared), of(&mut apart));
    assert_eq!(owners, [0, 0, 0, 1]);
    for place in 0..3 {
        let sum: f64 = (0..3).map(|node| apart[3 * node + place]).sum();
        assert!((together[place] - sum).abs() < 1e-13);
        assert!((together[3 + place] - apart[9 + place]).abs() < 1e-13);
    }
}

#[test]
fn a_conflict_keeps_the_best_of_first_second_and_mean() {
    let data = common::dataset(4, 70, 2, false);
    let context = Context {
        data: &data,
        library: &[],
        fit_genes: true,
        dependent_below: 1e-10,
    };
    let mut wins = [0; 3];
    for seed in 0..60 {
        let mut rng = rng(seed);
        let mut second = Weights::default();
        for index in [1, 0] {
            second.push(index, [BIAS, 0, 1].map(|f| (f, common::uniform(&mut rng, -1.5, 1.5))));
        }
        let mut individual = shared_individual();
        individual.rivals = Some(Box::new((vec![1, 0], second.clone())));
        let tables: Vec<Vec<f64>> = {
            let first = individual.weights.values().to_vec();
            let other = [second.row(1).values, second.row(0).values].concat();
            let mean = first.iter().zip(&other).map(|(a, b)| 0.5 * (a + b)).collect();
            vec![first, other, mean]
        };
        let errors: Vec<f64> = tables
            .iter()
            .map(|table| {
                let mut candidate = shared_individual();
                candidate.weights.values_mut().copy_from_slice(table);
                candidate.evaluate(context, &mut Workspace::default());
                candidate.unexplained
            })
            .collect();
        let best = (0..3).min_by(|&a, &b| errors[a].total_cmp(&errors[b])).unwrap();
        let mut workspace = Workspace::default();
        resolve(&mut individual, context, &mut workspace);
        wins[best] += 1;
        assert_eq!(
            (individual.unexplained, individual.weights.values()),
            (errors[best], &tables[best][..])
        );
        assert!(individual.rivals.is_none());
        // Tuning goes on from the residual of the one that was kept.
        let left: f64 = workspace.residual.iter().map(|r| r * r).sum();
        assert!((left - individual.unexplained).abs() < 1e-12);
    }
    assert!(wins.iter().all(|&w| w > 3), "{wins:?}");
}

#[test]
fn one_shared_step_is_the_rule_applied_to_the_summed_gradient() {
    let data = common::dataset(5, 90, 3, true);
    let primitives = Primitives {
        ..paper(3, Synchronisation::Global)
    };
    let seeds: Vec<u64> = (0..40).collect();
    let evaluation = Evaluation {
        fit_genes: true,
        dependent_below: 1e-10,
        cache_bytes: usize::MAX,
    };
    let mut population = Population::grow(Arc::new(primitives.clone()), evaluation, &seeds);
    population.evaluate(&data, &GO);
    let settings = tuning(Rule::IRpropMinus);
    let context = Context {
        data: &data,
        library: &[],
        fit_genes: true,
        dependent_below: 1e-10,
    };
    for _ in 0..4 {
        let mut want = population.shared().unwrap().clone();
        let mut total = vec![0.0; want.values().len()];
        for individual in population.individuals.iter().filter(|i| i.unexplained.is_finite()) {
            let mut workspace = Workspace::default();
            let mut individual = individual.clone();
            individual.unexplained = f64::NAN;
            individual.evaluate(context, &mut workspace);
            gradient(&individual, context, Tunable::ALL, &mut workspace);
            if workspace.gradient[..total.len()].iter().all(|g| g.is_finite()) {
                total.iter_mut().zip(&workspace.gradient).for_each(|(t, g)| *t += g);
            }
        }
        assert!(total.iter().any(|t| *t != 0.0));
        step(&settings, &mut want, &total, false);
        population.tune_shared(&data, &settings, &GO);
        assert_eq!(population.shared().unwrap(), &want);
        for individual in &population.individuals {
            assert!((0..3).all(|row| individual.weights.row(row).values == want.row(row).values));
            assert!(individual.is_evaluated());
        }
    }
}
