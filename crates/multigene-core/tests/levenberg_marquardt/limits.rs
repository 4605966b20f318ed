//! Decay, bounds, races, stops, and the number of weights.
use super::*;

#[test]
fn decay_prefers_small_slopes() {
    // x1 is nearly x0, so the slopes are free along their difference.
    let mut rng = rng(12);
    let x0: Vec<f64> = (0..300).map(|_| rng.random::<f64>() * 4.0 - 2.0).collect();
    let x1: Vec<f64> = x0.iter().map(|x| x + 0.005 * (rng.random::<f64>() - 0.5)).collect();
    let target: Vec<f64> = x0
        .iter()
        .map(|x| (1.2 * x).tanh() + 0.3 * (rng.random::<f64>() - 0.5))
        .collect();
    let data = Dataset::new(vec![x0, x1], &target, None, Level::detect()).unwrap();
    let tuned = |decay: f64| {
        let mut individual = model(&["tanh([0: 0.1 + 4.0*x0 + -3.0*x1])"]);
        let settings = LevenbergMarquardt {
            decay,
            ..LevenbergMarquardt::polish()
        };
        tune_with(&mut individual, GeneChoice::All, &data, &settings);
        let squares: f64 = individual.weights.values()[1..].iter().map(|w| w * w).sum();
        (individual.unexplained, squares)
    };
    let (free, decayed, strong) = (tuned(0.0), tuned(1e-3), tuned(1e-1));
    assert!(
        free.0 <= decayed.0 && decayed.0 <= strong.0,
        "{free:?} {decayed:?} {strong:?}"
    );
    assert!(
        strong.1 < decayed.1 && decayed.1 < 0.5 * free.1,
        "{free:?} {decayed:?} {strong:?}"
    );
    assert!(decayed.0 < 1.05 * free.0);
    // The stationary point of error · (1 + decay · Σ w²) is at least as good as where either weight is a little different.
    let mut individual = model(&["tanh([0: 0.1 + 4.0*x0 + -3.0*x1])"]);
    let settings = LevenbergMarquardt {
        decay: 1e-2,
        ..LevenbergMarquardt::polish()
    };
    tune_with(&mut individual, GeneChoice::All, &data, &settings);
    let objective = |step: [f64; 2]| {
        let mut moved = individual.clone();
        moved.weights.values_mut()[1] += step[0];
        moved.weights.values_mut()[2] += step[1];
        moved.touch(0);
        moved.evaluate(context(&data), &mut Workspace::default());
        moved.unexplained * (1.0 + 1e-2 * moved.weights.values()[1..].iter().map(|w| w * w).sum::<f64>())
    };
    for step in [
        [1e-3, 0.0],
        [-1e-3, 0.0],
        [0.0, 1e-3],
        [0.0, -1e-3],
        [1e-3, -1e-3],
        [-1e-3, 1e-3],
    ] {
        assert!(objective(step) > objective([0.0, 0.0]), "{step:?}");
    }
}

#[test]
fn decay_leaves_no_floor_on_exact_data() {
    let data = dataset(300, 2, false, 13, |x| (1.7 * x[0] + 0.4 - 0.6 * x[1]).sin());
    let mut individual = model(&["sin([0: 0.2 + 1.5*x0 + -0.5*x1])"]);
    let settings = LevenbergMarquardt {
        decay: 1e-4,
        ..LevenbergMarquardt::polish()
    };
    tune_with(&mut individual, GeneChoice::All, &data, &settings);
    assert!(individual.unexplained < 1e-25, "{:e}", individual.unexplained);
}

#[test]
fn weights_stay_within_the_bound() {
    let data = dataset(300, 2, false, 14, |x| (7.0 * x[0]).tanh() + (3.0 * x[1]).tanh());
    let tuned = |bound: f64, start: [&str; 2]| {
        let mut individual = model(&start);
        tune_with(
            &mut individual,
            GeneChoice::All,
            &data,
            &LevenbergMarquardt {
                bound,
                ..LevenbergMarquardt::polish()
            },
        );
        individual
    };
    let near = ["tanh(x0 * 4.0)", "tanh(x1 * 2.0)"];
    let free = tuned(f64::INFINITY, near);
    assert!((free.weights.values()[0] - 7.0).abs() < 1e-9);
    let bounded = tuned(5.0, near);
    assert_eq!(bounded.weights.values()[0], 5.0, "held at the bound");
    // The other weight goes on to where it is best with the first held.
    let mut other = model(&["tanh(x0 * 5.0)", "tanh(x1 * 2.0)"]);
    tune_with(&mut other, GeneChoice::One(1), &data, &LevenbergMarquardt::polish());
    let (found, expected) = (bounded.weights.values()[1], other.weights.values()[1]);
    assert!((found - expected).abs() < 1e-6, "{found}, {expected}");
    // What starts outside comes back, and does not go out again.
    let mut outside = model(&["tanh(x0 * 9.0)", "tanh(x1 * 6.0)"]);
    let settings = LevenbergMarquardt {
        bound: 5.0,
        ..LevenbergMarquardt::polish()
    };
    let outcome = tune_with(&mut outside, GeneChoice::One(1), &data, &settings);
    assert!(outside.weights.values()[1].abs() < 4.0, "{outcome:?}");
}

#[test]
fn races_and_iterations_end_tuning() {
    let data = dataset(300, 2, false, 15, |x| (1.7 * x[0] + 0.4).sin() + 0.2 * x[1].powi(3));
    let start = ["sin([0: 0.9 + 1.1*x0])"];
    let tuned = |settings: LevenbergMarquardt| {
        let mut individual = model(&start);
        let outcome = tune_with(&mut individual, GeneChoice::One(0), &data, &settings);
        (individual, outcome)
    };
    let usual = LevenbergMarquardt::default();
    let (one, raced) = tuned(LevenbergMarquardt {
        race: Some(1e-6),
        ..usual
    });
    assert_eq!((raced.ending, raced.steps), (Ending::Raced, 1));
    let (two, capped) = tuned(LevenbergMarquardt {
        max_iterations: 1,
        ..usual
    });
    assert_eq!((capped.ending, capped.steps), (Ending::OutOfIterations, 1));
    assert_eq!(one.weights, two.weights);
    let (full, converged) = tuned(LevenbergMarquardt {
        race: Some(1.0),
        max_iterations: 50,
        ..usual
    });
    assert_eq!(converged.ending, Ending::Converged);
    assert!(converged.steps > 1 && full.unexplained < one.unexplained);
    let (again, idle) = {
        let mut again = full.clone();
        let outcome = tune_with(&mut again, GeneChoice::One(0), &data, &usual);
        (again, outcome)
    };
    assert_eq!(
        (idle.ending, idle.steps, idle.evaluations),
        (Ending::Converged, 0, 0),
        "what is tuned is left alone"
    );
    assert_eq!(again.weights, full.weights);
}

#[test]
fn stops_when_told() {
    let data = dataset(300, 2, false, 16, |x| (1.7 * x[0]).sin());
    let mut individual = model(&["sin(x0 * 1.5)"]);
    let stop = AtomicBool::new(true);
    let (settings, mut workspace) = (LevenbergMarquardt::default(), Workspace::default());
    let outcome = levenberg_marquardt_until(
        &mut individual,
        GeneChoice::All,
        context(&data),
        &settings,
        &mut workspace,
        &mut rng(0),
        &stop,
    );
    assert_eq!(outcome.ending, Ending::Interrupted);
    assert_eq!(individual.weights.values(), [1.5]);
    assert!(individual.is_evaluated());
}

#[test]
fn unfit_and_weightless_models_are_left_alone() {
    let data = dataset(100, 2, false, 17, |x| x[0]);
    let mut unfit = model(&["log(x0 * 2.0)"]);
    assert_eq!(
        tune_with(&mut unfit, GeneChoice::All, &data, &LevenbergMarquardt::default()).ending,
        Ending::Unfit
    );
    let mut weightless = model(&["sin(x0)"]);
    assert_eq!(
        tune_with(&mut weightless, GeneChoice::All, &data, &LevenbergMarquardt::default()).ending,
        Ending::NothingToTune
    );
    // A derivative that is infinite somewhere moves nothing, and does not keep other weights from moving.
    let columns = vec![vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]];
    let target = [0.0, 1.1, 1.4, 1.7, 2.1, 2.2, 2.6, 2.0];
    let data = Dataset::new(columns, &target, None, Level::detect()).unwrap();
    let mut individual = model(&["sqrt([0: 0.0 + 1.0*x0]) + sin(x0 * 0.9)"]);
    let outcome = tune_with(&mut individual, GeneChoice::All, &data, &LevenbergMarquardt::polish());
    assert_eq!(individual.weights.values()[..1], [0.0]);
    assert!(outcome.steps > 0 && individual.weights.values()[2] != 0.9, "{outcome:?}");
    assert!(individual.unexplained.is_finite());
}

#[test]
fn at_most_so_many_weights_of_whole_nodes() {
    let gene = (0..30)
        .map(|i| format!("sin([0: 0.{i} + 1.1*x0 + 0.{i}*x1 + 0.2*x2])"))
        .collect::<Vec<_>>()
        .join(" + ");
    let data = dataset(200, 3, false, 18, |x| x[0] * x[1] + x[2]);
    let mut individual = model(&[&gene]);
    individual.evaluate(context(&data), &mut Workspace::default());
    let chosen = |most: usize, seed: u64| {
        let mut parameters = Parameters::default();
        parameters.choose(&individual, GeneChoice::One(0), Tunable::ALL, most, &mut rng(seed));
        parameters.places
    };
    assert_eq!(chosen(200, 0).len(), 120);
    assert_eq!(chosen(120, 0), (0..120).collect::<Vec<_>>());
    let some = chosen(42, 0);
    assert_eq!(some.len(), 40, "ten nodes of four weights");
    assert!(
        some.chunks(4)
            .all(|row| row[0] % 4 == 0 && row.windows(2).all(|pair| pair[1] == pair[0] + 1))
    );
    assert_ne!(some, chosen(42, 1), "which nodes is drawn");
    assert_eq!(
        chosen(3, 0).len(),
        3,
        "a node with more weights than allowed is tuned in part"
    );
    assert!(chosen(0, 0).is_empty());
    let before = individual.weights.values().to_vec();
    let settings = LevenbergMarquardt {
        max_parameters: 42,
        ..LevenbergMarquardt::default()
    };
    let outcome = tune_with(&mut individual, GeneChoice::One(0), &data, &settings);
    let moved = before.iter().zip(individual.weights.values()).filter(|(a, b)| a != b).count();
    assert!(
        outcome.parameters == 40 && outcome.steps > 0 && moved <= 40 && moved > 20,
        "{outcome:?}, {moved} moved"
    );
}
