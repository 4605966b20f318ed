//! Reverse mode against finite differences of the naive evaluator.
mod common;

use common::{all_operators, columns, naive, primitives, random_gene, rng, tame_functions, uniform};
use multigene_core::evaluate::dataset::Dataset;
use multigene_core::evaluate::gradient::{Sum, Sweep, Tape, Tunable};
use multigene_core::evaluate::outer_fit::{Context, Workspace};
use multigene_core::evaluate::program::Program;
use multigene_core::tree::functions::{CustomOperator, FunctionSet};
use multigene_core::tree::gene::{Function, Node};
use multigene_core::tree::individual::{Gene, Individual};
use multigene_core::tree::operator::Operator;
use multigene_core::tree::weights::{BIAS, OWN_VALUE, Weights};
use multigene_core::tune;
use multigene_core::vector_math::Level;

/// Derivatives of Σ seed·gene by every weight.
fn gradient(
    nodes: &[Node],
    weights: &Weights,
    library: &[CustomOperator],
    x: &[Vec<f64>],
    seed: &[f64],
    tunable: Tunable,
    tape: &mut Tape,
) -> Vec<f64> {
    let data = Dataset::features(x.to_vec(), seed.len(), Level::detect());
    let mut padded = seed.to_vec();
    padded.resize(data.padded(), 0.0);
    let mut gradient = vec![0.0; weights.values().len()];
    let program = Program::compile(nodes, weights, library);
    let sweep = Sweep {
        program: &program,
        weights,
        data: &data,
        tunable,
    };
    let mut sink = Sum {
        gradient: &mut gradient,
        data: &data,
    };
    sweep.reverse(0, &padded, tape, &mut sink);
    gradient
}

fn weighted_sum(nodes: &[Node], weights: &Weights, library: &[CustomOperator], x: &[Vec<f64>], seed: &[f64]) -> f64 {
    let row = |k: usize| x.iter().map(|c| c[k]).collect::<Vec<f64>>();
    (0..seed.len())
        .map(|k| seed[k] * naive(nodes, weights, library, &row(k)))
        .sum()
}

/// Central differences, and the size of what was summed.
fn differences(nodes: &[Node], weights: &Weights, library: &[CustomOperator], x: &[Vec<f64>], seed: &[f64]) -> Vec<(f64, f64)> {
    (0..weights.values().len())
        .map(|place| {
            let value = |h: f64| {
                let mut moved = weights.clone();
                moved.values_mut()[place] += h;
                weighted_sum(nodes, &moved, library, x, seed)
            };
            // Two step sizes say how far the difference itself can be trusted.
            let h = 1e-5;
            let (coarse, fine) = (
                (value(2.0 * h) - value(-2.0 * h)) / (4.0 * h),
                (value(h) - value(-h)) / (2.0 * h),
            );
            let absolute: f64 = seed.iter().map(|s| s.abs()).sum();
            (
                fine,
                10.0 * (coarse - fine).abs() + 1e-8 * (fine.abs() + absolute) + 1e-10 * value(0.0).abs(),
            )
        })
        .collect()
}

fn kind_of(nodes: &[Node], weights: &Weights) -> Vec<Option<Node>> {
    let mut kinds = vec![None; weights.values().len()];
    for node in nodes {
        if let Some(row) = node.row() {
            for place in weights.range(row) {
                kinds[place] = Some(*node);
            }
        }
    }
    kinds
}

#[test]
fn random_genes() {
    let (primitives, mut rng) = (primitives(tame_functions(), 3), rng(1));
    let library = &primitives.functions.library;
    let mut tape = Tape::default();
    let mut checked = 0;
    for round in 0..400 {
        let (nodes, weights) = random_gene(&primitives, 1 + round % 6, &mut rng);
        let rows = [1, 7, 32, 40, 257, 300][round % 6];
        let mut x = columns(&mut rng, rows, 3);
        // Away from 0, where product leaves have poles and differences mean nothing.
        x.iter_mut().flatten().for_each(|v| *v += 0.4 * v.signum());
        let seed: Vec<f64> = (0..rows).map(|_| uniform(&mut rng, -1.0, 1.0)).collect();
        if !weighted_sum(&nodes, &weights, library, &x, &seed).is_finite() {
            continue;
        }
        let got = gradient(&nodes, &weights, library, &x, &seed, Tunable::ALL, &mut tape);
        for (place, (want, allowed)) in differences(&nodes, &weights, library, &x, &seed).into_iter().enumerate() {
            if allowed < 1e-3 * want.abs() + 1e-3 {
                checked += 1;
                let text = multigene_core::tree::text::print(&nodes, &weights, library);
                assert!(
                    (got[place] - want).abs() <= allowed,
                    "weight {place} of {text}: {}, by differences {want} ± {allowed}",
                    got[place]
                );
            }
        }
        tunable_kinds_are_kept_apart(&nodes, &weights, library, &x, &seed, &got, &mut tape);
    }
    assert!(checked > 1500, "only {checked} derivatives could be compared");
}

/// With one kind tuned, its derivatives are the same as before and all others 0.
fn tunable_kinds_are_kept_apart(
    nodes: &[Node],
    weights: &Weights,
    library: &[CustomOperator],
    x: &[Vec<f64>],
    seed: &[f64],
    all: &[f64],
    tape: &mut Tape,
) {
    let none = Tunable {
        constants: false,
        combinations: false,
        inner: false,
    };
    for tunable in [
        none,
        Tunable { constants: true, ..none },
        Tunable {
            combinations: true,
            ..none
        },
        Tunable { inner: true, ..none },
    ] {
        let got = gradient(nodes, weights, library, x, seed, tunable, tape);
        for (place, kind) in kind_of(nodes, weights).into_iter().enumerate() {
            let tuned = match kind {
                Some(Node::Constant(_)) => tunable.constants,
                Some(Node::Combination(_) | Node::Product(_)) => tunable.combinations,
                Some(Node::Weighted(..)) => tunable.inner,
                _ => false,
            };
            let same = got[place] == all[place] || (got[place].is_nan() && all[place].is_nan());
            assert!(
                if tuned { same } else { got[place] == 0.0 },
                "{tunable:?}, weight {place} of {nodes:?}"
            );
        }
    }
}

/// Arguments where the operator is smooth and of ordinary size.
fn domain(operator: Operator) -> (f64, f64) {
    match operator {
        Operator::Log | Operator::Sqrt | Operator::Inv | Operator::Abs | Operator::Sign | Operator::Div | Operator::Power(_) => {
            (0.7, 1.4)
        }
        _ => (-2.0, 2.0),
    }
}

#[test]
fn every_operator_in_every_place() {
    let mut rng = rng(2);
    let mut tape = Tape::default();
    for operator in all_operators() {
        let (low, high) = domain(operator);
        let x: Vec<Vec<f64>> = (0..2)
            .map(|_| (0..40).map(|_| uniform(&mut rng, low, high)).collect())
            .collect();
        let seed: Vec<f64> = (0..40).map(|_| uniform(&mut rng, -1.0, 1.0)).collect();
        let mut weights = Weights::default();
        let combination = weights.push(0, [(BIAS, 0.1), (0, 0.9), (1, 0.05)]);
        let constant = weights.push_constant(1.1);
        let own = weights.push(BIAS, [(BIAS, 0.3), (OWN_VALUE, -1.2)]);
        let leaves = [Node::Combination(combination), Node::Constant(constant), Node::Variable(1)];
        for first in leaves {
            for second in if operator.arity() == 1 {
                vec![None]
            } else {
                leaves.map(Some).to_vec()
            } {
                for root in [
                    Node::Apply(Function::Base(operator)),
                    Node::Weighted(Function::Base(operator), own),
                ] {
                    let nodes: Vec<Node> = std::iter::once(first).chain(second).chain([root]).collect();
                    if matches!(operator, Operator::Min | Operator::Max) && second == Some(first) {
                        continue; // a tie in every row
                    }
                    let got = gradient(&nodes, &weights, &[], &x, &seed, Tunable::ALL, &mut tape);
                    for (place, (want, allowed)) in differences(&nodes, &weights, &[], &x, &seed).into_iter().enumerate() {
                        let near_tie = matches!(operator, Operator::Min | Operator::Max) && allowed > 1e-3;
                        assert!(
                            near_tie || (got[place] - want).abs() <= allowed,
                            "{nodes:?}, weight {place}: {} not {want}",
                            got[place]
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn an_argument_that_is_ignored_gets_no_derivative() {
    let set = FunctionSet::parse([("second", Some("sin(y)"), 1.0), ("add", None, 1.0)]).unwrap();
    let mut weights = Weights::default();
    let (a, b) = (
        weights.push(0, [(BIAS, 0.1), (0, 0.9)]),
        weights.push(0, [(BIAS, 0.2), (0, -0.4)]),
    );
    let nodes = [
        Node::Combination(a),
        Node::Apply(Function::Base(Operator::Exp)),
        Node::Combination(b),
        Node::Apply(Function::Custom(0, 2)),
    ];
    let (x, seed) = (vec![vec![0.3, 1.0, -2.0]], vec![1.0, 2.0, 3.0]);
    let mut tape = Tape::default();
    for _ in 0..3 {
        let got = gradient(&nodes, &weights, &set.library, &x, &seed, Tunable::ALL, &mut tape);
        assert_eq!(got[..2], [0.0, 0.0]);
        let slope: f64 = (0..3).map(|k| seed[k] * (0.2 - 0.4 * x[0][k]).cos()).sum();
        assert!((got[2] - slope).abs() < 1e-14);
    }
}

#[test]
fn product_leaves_where_a_feature_is_zero() {
    let mut weights = Weights::default();
    let row = weights.push(0, [(BIAS, 2.0), (0, 1.5), (1, -1.0)]);
    let x = vec![vec![0.0, 1.5, -2.0], vec![1.0, 2.0, 3.0]];
    let got = gradient(
        &[Node::Product(row)],
        &weights,
        &[],
        &x,
        &[1.0; 3],
        Tunable::ALL,
        &mut Tape::default(),
    );
    let value = |k: usize| x[0][k].abs().powf(1.5) / x[1][k];
    let want = [
        value(0) + value(1) + value(2),
        2.0 * (value(1) * 1.5f64.ln() + value(2) * 2.0f64.ln()),
        2.0 * (value(1) * 2.0f64.ln() + value(2) * 3.0f64.ln()),
    ];
    for (got, want) in got.iter().zip(want) {
        assert!((got - want).abs() < 1e-13, "{got} {want}");
    }
}

#[test]
fn of_the_whole_error_with_row_weights() {
    let (mut primitives, mut rng) = (primitives(tame_functions(), 3), rng(3));
    primitives.limits.max_depth = 4;
    let library = &primitives.functions.library;
    let mut compared = 0;
    for round in 0..60 {
        let data = common::dataset(round, 75, 3, round % 2 == 0);
        let mut individual = primitives.individual(round as usize, &mut rng);
        let context = Context {
            data: &data,
            library,
            fit_genes: round % 3 != 0,
            dependent_below: 1e-10,
        };
        let mut workspace = Workspace::default();
        individual.evaluate(context, &mut workspace);
        if !individual.unexplained.is_finite() || individual.coefficients.iter().any(|c| c.abs() > 1e3) {
            continue;
        }
        tune::gradient(&individual, context, Tunable::ALL, &mut workspace);
        let got = workspace.gradient.clone();
        // With the outer coefficients refitted at every point, the projected error has the same derivative.
        let error = |place: usize, h: f64| {
            let mut moved = Individual::empty(individual.weights.clone());
            moved.genes = individual.genes.iter().map(|gene| Gene::new(gene.nodes.clone())).collect();
            moved.weights.values_mut()[place] += h;
            moved.evaluate(context, &mut Workspace::default());
            0.5 * moved.unexplained
        };
        for (place, got) in got.iter().enumerate() {
            let h = 1e-5;
            let fine = (error(place, h) - error(place, -h)) / (2.0 * h);
            let coarse = (error(place, 2.0 * h) - error(place, -2.0 * h)) / (4.0 * h);
            let allowed = 10.0 * (fine - coarse).abs() + 1e-6 * fine.abs() + 1e-9 * individual.unexplained.max(1.0);
            if allowed < 1e-3 {
                compared += 1;
                assert!(
                    (got - fine).abs() <= allowed,
                    "round {round}, weight {place}: {got} not {fine} ± {allowed}"
                );
            }
        }
    }
    assert!(compared > 500, "only {compared} derivatives could be compared");
}
