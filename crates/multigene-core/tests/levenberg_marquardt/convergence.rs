//! Known weights are found.
use super::*;

#[test]
fn exact_laws_are_polished_to_rounding() {
    for weighted in [false, true] {
        let law = |x: &[f64]| 3.0 * (1.7 * x[0] + 0.4).sin() + 2.0 * (-0.3 * x[1] * x[1]).exp();
        let data = dataset(400, 2, weighted, 6, law);
        let mut individual = model(&["sin([0: 0.1 + 1.4*x0])", "exp(x1**2 * -0.6)"]);
        let outcome = tune_with(&mut individual, GeneChoice::All, &data, &LevenbergMarquardt::polish());
        assert!(
            individual.unexplained < 1e-28,
            "{:e} after {outcome:?}",
            individual.unexplained
        );
        let expected = [0.4, 1.7, -0.3];
        for (found, expected) in individual.weights.values().iter().zip(expected) {
            assert!((found - expected).abs() < 1e-13, "{found} for {expected}");
        }
        assert!((individual.coefficients[0] - 3.0).abs() < 1e-12 && (individual.coefficients[1] - 2.0).abs() < 1e-12);
        assert!(individual.intercept.abs() < 1e-12);
    }
}

#[test]
fn generated_problems_converge_to_their_weights() {
    // Truth, a start nearby.
    let problems = [
        (
            vec!["tanh([0: 0.3 + 1.2*x0 + -0.8*x1])"],
            vec!["tanh([0: 0.0 + 1.0*x0 + -0.5*x1])"],
        ),
        (
            vec!["x0 / (x2 + 1.3)", "cos(x1 * 2.1)"],
            vec!["x0 / (x2 + 2.5)", "cos(x1 * 1.8)"],
        ),
        (vec!["{1.0: x2^1.5 x1^2.0} + sin(x0)"], vec!["{2.0: x2^1.0 x1^1.5} + sin(x0)"]),
        (
            vec!["exp([0: 0.0 + 0.5*x0 + 0.2*x2]) * x1", "gauss([1: 0.5 + 1.0*x1])"],
            vec!["exp([0: 0.0 + 0.1*x0 + 0.1*x2]) * x1", "gauss([1: 0.2 + 0.7*x1])"],
        ),
        (
            vec!["weighted(1.5, 0.7, sin(x0)) * x1 + x2"],
            vec!["weighted(1.0, 1.0, sin(x0)) * x1 + x2"],
        ),
    ];
    for (truth, start) in &problems {
        for weighted in [false, true] {
            let features = dataset(300, 3, false, 7, |_| 0.0);
            let mut law = model(truth);
            law.coefficients = (0..truth.len()).map(|i| 2.0 + i as f64).collect();
            law.intercept = 0.5;
            let target = predict(&law, &features);
            let columns = (0..3).map(|j| features.column(j)[..300].to_vec()).collect();
            let weights: Vec<f64> = (0..300).map(|k| 0.2 + f64::from(k % 7)).collect();
            let data = Dataset::new(columns, &target, weighted.then_some(&weights), Level::detect()).unwrap();
            let mut individual = model(start);
            let outcome = tune_with(&mut individual, GeneChoice::All, &data, &LevenbergMarquardt::polish());
            assert!(
                individual.unexplained < 1e-25,
                "{truth:?}: {:e}, {outcome:?}",
                individual.unexplained
            );
        }
    }
}

#[test]
fn one_gene_is_tuned_and_the_others_stay() {
    let data = dataset(300, 3, false, 8, |x| (1.7 * x[0]).sin() + (0.9 * x[1]).cos());
    let mut individual = model(&["sin(x0 * 1.5)", "cos(x1 * 0.8)"]);
    individual.evaluate(context(&data), &mut Workspace::default());
    let before = individual.clone();
    let outcome = tune_with(&mut individual, GeneChoice::One(1), &data, &LevenbergMarquardt::default());
    assert_eq!(outcome.parameters, 1);
    assert!(outcome.steps > 0 && individual.unexplained < before.unexplained);
    assert_eq!(individual.weights.values()[0], 1.5);
    assert!((individual.weights.values()[1] - 0.9).abs() < 0.02);
    let column = |individual: &Individual, i: usize| individual.genes[i].column.clone().unwrap();
    assert!(
        std::sync::Arc::ptr_eq(&column(&individual, 0), &column(&before, 0)),
        "the other gene is not evaluated again"
    );
}

#[test]
fn shared_rows_move_all_genes_that_use_them() {
    // Synchronised mode: two genes and two nodes of one of them use the same linear combination.
    let law = |x: &[f64]| {
        let z = 0.3 + 0.8 * x[0] - 0.4 * x[1];
        z.sin() * z + 2.0 * (-z * z).exp()
    };
    let data = dataset(300, 2, true, 10, law);
    let mut individual = Individual::empty(Weights::default());
    let row = individual.weights.push(0, [(u32::MAX, 0.1), (0, 0.7), (1, -0.3)]);
    let apply = |operator| Node::Apply(Function::Base(operator));
    let leaf = Node::Combination(row);
    individual
        .genes
        .push(Gene::new(vec![leaf, apply(Operator::Sin), leaf, apply(Operator::Mul)]));
    individual.genes.push(Gene::new(vec![leaf, apply(Operator::Gauss)]));
    for choice in [GeneChoice::One(0), GeneChoice::One(1), GeneChoice::All] {
        let mut tuned = individual.clone();
        let outcome = tune_with(&mut tuned, choice, &data, &LevenbergMarquardt::polish());
        assert_eq!(outcome.parameters, 3);
        assert!(tuned.unexplained < 1e-25, "{choice:?}: {:e}, {outcome:?}", tuned.unexplained);
    }
}

#[test]
fn models_without_outer_coefficients_are_tuned_too() {
    let data = dataset(300, 2, true, 11, |x| 2.5 * (1.3 * x[0]).sin() + 1.5 + 0.5 * x[1]);
    let mut individual = model(&["weighted(1.0, 2.0, sin(x0 * 1.1))", "x1 * 0.2"]);
    let context = Context {
        fit_genes: false,
        dependent_below: 1e-10,
        ..context(&data)
    };
    let (settings, mut workspace) = (LevenbergMarquardt::polish(), Workspace::default());
    let outcome = levenberg_marquardt(
        &mut individual,
        GeneChoice::All,
        context,
        &settings,
        &mut workspace,
        &mut rng(0),
    );
    assert!(individual.unexplained < 1e-25, "{:e}, {outcome:?}", individual.unexplained);
    assert_eq!(individual.coefficients, [1.0, 1.0]);
}

#[test]
fn large_data_is_taken_in_windows() {
    // More rows than a window holds must give the step of one window.
    let law = |x: &[f64]| (1.7 * x[0] + 0.4).sin() + x[1] * x[2];
    let data = dataset(5000, 3, true, 19, law);
    let mut individual = model(&["sin([0: 0.2 + 1.5*x0])", "x1 * x2"]);
    tune_with(&mut individual, GeneChoice::All, &data, &LevenbergMarquardt::polish());
    assert!(individual.unexplained < 1e-25, "{:e}", individual.unexplained);
}

#[test]
fn large_offsets_do_not_spoil_the_step() {
    // Years, as they come: derivatives have means far above their spread.
    let mut rng = rng(20);
    let x: Vec<f64> = (0..2000).map(|_| 2000.0 + 10.0 * rng.random::<f64>()).collect();
    let target: Vec<f64> = x.iter().map(|x| (0.9 * (x - 2005.0)).sin() + 1e-3 * x).collect();
    let data = Dataset::new(vec![x], &target, None, Level::detect()).unwrap();
    let mut individual = model(&["sin([0: -1604.2 + 0.8*x0])", "x0"]);
    let outcome = tune_with(&mut individual, GeneChoice::All, &data, &LevenbergMarquardt::polish());
    assert!(individual.unexplained < 1e-20, "{:e}, {outcome:?}", individual.unexplained);
}
