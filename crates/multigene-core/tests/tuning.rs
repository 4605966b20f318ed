//! Update rules on scripted derivatives, tuning of individuals, and the two synchronised modes.
mod common;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use common::{paper, primitives, rng, tame_functions};
use multigene_core::evaluate::gradient::Tunable;
use multigene_core::evaluate::outer_fit::{Context, Workspace};
use multigene_core::population::{Evaluation, Population};
use multigene_core::settings::Tuning;
use multigene_core::tree::gene::{Function, Node};
use multigene_core::tree::individual::{Gene, Individual};
use multigene_core::tree::operator::Operator;
use multigene_core::tree::weights::{BIAS, Weights};
use multigene_core::tune::{Rule, gradient, step, tune};
use multigene_core::vary::grow::{Primitives, Synchronisation};
use multigene_core::vary::synchronise::resolve;

static GO: AtomicBool = AtomicBool::new(false);
const RULES: [Rule; 4] = [Rule::IRpropMinus, Rule::IRpropPlus, Rule::Rprop, Rule::Adam];

fn tuning(rule: Rule) -> Tuning {
    Tuning {
        rule,
        steps: 0,
        min_steps: 25,
        tolerance: 0.0,
        tune_constants: true,
        ..Tuning::default()
    }
}

/// Feeds derivatives (and whether the error grew) to a rule; after each, the weight must be what the script says.
fn follow(rule: Rule, script: &[(f64, bool, f64)]) -> Weights {
    let mut weights = Weights::default();
    weights.push_constant(1.0);
    for (number, &(slope, worse, want)) in script.iter().enumerate() {
        step(&tuning(rule), &mut weights, &[slope], worse);
        let got = weights.values()[0];
        assert!((got - want).abs() < 1e-9, "{rule:?}, step {number}: {got}, not {want}");
    }
    weights
}

#[test]
fn irprop_minus_as_published() {
    let weights = follow(
        Rule::IRpropMinus,
        &[
            (1.0, false, 0.9),    // Δ = 0.1
            (2.0, false, 0.78),   // same sign: Δ = 0.12
            (-1.0, false, 0.78),  // sign change: Δ = 0.06, no step, derivative forgotten
            (-1.0, false, 0.84),  // no memory: Δ stays
            (-3.0, false, 0.912), // Δ = 0.072
            (0.0, false, 0.912),  // no sign, no step; the stored derivative is 0
            (-3.0, false, 0.984), // Δ stays 0.072
            (1.0, true, 0.984),   // sign change: Δ = 0.036
            (f64::NAN, false, 0.984),
            (f64::INFINITY, false, 0.984),
            (1.0, false, 0.948),
            (1e-200, false, 0.9048), // Δ = 0.0432, however small the derivatives are
            (-1e-200, false, 0.9048),
        ],
    );
    assert!((weights.memory(0)[0].step - 0.0216).abs() < 1e-12);
    assert_eq!(weights.memory(0)[0].slope, 0.0);
}

#[test]
fn irprop_plus_takes_a_step_back_where_the_error_grew() {
    follow(
        Rule::IRpropPlus,
        &[
            (1.0, false, 0.9),
            (1.0, false, 0.78),
            (-1.0, true, 0.9),   // back by 0.12; Δ = 0.06
            (-1.0, false, 0.96), // Δ stays
            (1.0, false, 0.96),  // sign change but no growth: stays; Δ = 0.03
            (1.0, true, 0.93),
            (0.0, true, 0.93),
            (-1.0, true, 0.96), // no memory of a sign: an ordinary step
        ],
    );
}

#[test]
fn rprop_of_the_authors_steps_even_where_the_sign_changes() {
    follow(
        Rule::Rprop,
        &[
            (1.0, false, 0.9),
            (1.0, false, 0.78),
            (-1.0, true, 0.84),
            (-1.0, false, 0.90),
            (-1.0, false, 0.972),
            (0.0, false, 0.972),
        ],
    );
}

#[test]
fn adam_as_published() {
    // m = 0.1, v = 0.001: a step of the learning rate; then m = 0.29, v = 0.004999 with corrections 0.19 and 0.001999.
    let second = 0.9 - 0.1 * (0.29 / 0.19) / (0.004_999f64 / 0.001_999).sqrt();
    assert!((second - 0.803_481_8).abs() < 1e-7);
    follow(Rule::Adam, &[(1.0, false, 0.9), (2.0, false, second)]);
    // A derivative of 0 still moves the weight by what is remembered: m = 0.09, v = 0.000999.
    let coasting = 0.9 - 0.1 * (0.09 / 0.19) / (0.000_999f64 / 0.001_999).sqrt();
    follow(Rule::Adam, &[(1.0, false, 0.9), (0.0, false, coasting)]);
    // But nothing moves a weight that never had a derivative.
    assert_eq!(follow(Rule::Adam, &[(0.0, false, 1.0)]).memory(0)[0].step, 0.0);
}

#[test]
fn steps_stay_within_their_bounds() {
    for rule in [Rule::IRpropMinus, Rule::IRpropPlus, Rule::Rprop] {
        let mut weights = Weights::default();
        weights.push_constant(0.0);
        for _ in 0..60 {
            step(&tuning(rule), &mut weights, &[1.0], false);
        }
        assert_eq!(weights.memory(0)[0].step, 50.0);
        for k in 0..200 {
            step(
                &tuning(rule),
                &mut weights,
                &[if (k / 2) % 2 == 0 { -1.0 } else { 1.0 }],
                false,
            );
        }
        assert!(weights.memory(0)[0].step >= 1e-6 && weights.memory(0)[0].step < 1.0);
    }
}

#[test]
fn huge_derivatives_leave_nothing_infinite() {
    for rule in RULES {
        let mut weights = Weights::default();
        weights.push_constant(f64::MAX);
        for slope in [-1e300, -f64::MAX, 1e300, -1e-320, f64::NAN, -1e200] {
            step(&tuning(rule), &mut weights, &[slope], true);
            let memory = weights.memory(0)[0];
            assert!(weights.values()[0].is_finite(), "{rule:?}");
            assert!(
                memory.step.is_finite() && memory.slope.is_finite() && memory.extra.is_finite(),
                "{rule:?}: {memory:?}"
            );
        }
    }
}

#[test]
fn tuning_leaves_no_weight_or_step_that_is_not_finite_and_keeps_the_best_iterate() {
    let primitives = primitives(common::all_functions(), 3);
    let library = &primitives.functions.library;
    let data = common::dataset(1, 80, 3, true);
    let (mut peaks, mut better) = (0, 0);
    for (number, rule) in RULES.iter().cycle().take(120).enumerate() {
        let mut rng = rng(number as u64);
        let context = Context {
            data: &data,
            library,
            fit_genes: number % 5 != 0,
        };
        let mut tuning = tuning(*rule);
        tuning.initial_step = [0.1, 30.0][number % 2];
        let mut workspace = Workspace::default();
        let mut individual = primitives.individual(number, &mut rng);
        individual.evaluate(context, &mut workspace);
        let first = individual.clone();
        let (best, best_weights) = by_hand(first.clone(), context, &tuning);
        tune(&mut individual, context, &tuning, &mut workspace, &GO);
        let table = &individual.weights;
        assert!(table.values().iter().all(|v| v.is_finite()));
        for row in 0..table.len() as u32 {
            assert!(
                table
                    .memory(row)
                    .iter()
                    .all(|m| m.step.is_finite() && m.slope.is_finite() && m.extra.is_finite())
            );
        }
        if !first.unexplained.is_finite() {
            continue;
        }
        let (unexplained, weights) = match &individual.peak {
            Some(peak) => (peak.unexplained, &peak.weights),
            None => (individual.unexplained, &individual.weights),
        };
        peaks += usize::from(individual.peak.is_some());
        better += usize::from(unexplained < 0.99 * first.unexplained);
        assert_eq!(unexplained, best, "the best of all iterates, individual {number}");
        assert_eq!(weights.values(), best_weights.values());
    }
    assert!(peaks > 10 && better > 10, "{peaks} peaks, {better} better");
}

/// The same steps as `tune`, keeping the best of all iterates (the first of equals, or the last iterate if none is better).
fn by_hand(mut individual: Individual, context: Context, tuning: &Tuning) -> (f64, Weights) {
    let mut iterates = vec![(individual.unexplained, individual.weights.clone())];
    let tuned = |n: &Node| n.row().is_some();
    let has_weights = individual.genes.iter().flat_map(|g| &g.nodes).any(tuned);
    let mut worse = false;
    for _ in 0..if has_weights && individual.unexplained.is_finite() {
        tuning.min_steps
    } else {
        0
    } {
        let before = individual.unexplained;
        let mut workspace = Workspace::default();
        individual.genes.iter_mut().for_each(|g| g.column = None);
        individual.gram = Default::default();
        individual.evaluate(context, &mut workspace);
        gradient(&individual, context, tuning.tunable(), &mut workspace);
        step(tuning, &mut individual.weights, &workspace.gradient, worse);
        individual.genes.iter_mut().for_each(|g| g.column = None);
        individual.gram = Default::default();
        individual.evaluate(context, &mut workspace);
        worse = individual.unexplained > before;
        iterates.push((individual.unexplained, individual.weights.clone()));
        if !individual.unexplained.is_finite() || individual.unexplained == before {
            break;
        }
    }
    let last = iterates.pop().unwrap();
    iterates
        .into_iter()
        .fold(None, |best: Option<(f64, Weights)>, new| match best {
            Some(best) if best.0 <= new.0 => Some(best),
            _ => Some(new),
        })
        .filter(|best| best.0 < last.0)
        .unwrap_or(last)
}

#[test]
fn gradient_steps_find_known_weights() {
    // y = sin(0.3 + 1.4·x0 - 0.6·x1), started at one-hot.
    let mut rng = rng(4);
    let x = common::columns(&mut rng, 200, 2);
    let y: Vec<f64> = (0..200)
        .map(|k| 5.0 + 2.0 * (0.3 + 1.4 * x[0][k] - 0.6 * x[1][k]).sin())
        .collect();
    let data =
        multigene_core::evaluate::dataset::Dataset::new(x, &y, None, multigene_core::vector_math::Level::detect()).unwrap();
    let context = Context {
        data: &data,
        library: &[],
        fit_genes: true,
    };
    for rule in [Rule::IRpropMinus, Rule::IRpropPlus, Rule::Rprop] {
        let mut weights = Weights::default();
        let row = weights.push(0, [(BIAS, 0.0), (0, 1.0), (1, 0.0)]);
        let mut individual = Individual::empty(weights);
        individual.genes = vec![Gene::new(vec![
            Node::Combination(row),
            Node::Apply(Function::Base(Operator::Sin)),
        ])];
        let mut workspace = Workspace::default();
        individual.evaluate(context, &mut workspace);
        let steps = Tuning {
            min_steps: 300,
            tolerance: -1.0,
            ..tuning(rule)
        };
        tune(&mut individual, context, &steps, &mut workspace, &GO);
        let unexplained = individual.peak.as_ref().map_or(individual.unexplained, |p| p.unexplained);
        assert!(unexplained < 1e-8, "{rule:?}: {unexplained:e}");
    }
}

#[test]
fn the_number_of_steps_is_less_by_the_number_of_nodes() {
    let data = common::dataset(2, 60, 2, false);
    let context = Context {
        data: &data,
        library: &[],
        fit_genes: true,
    };
    let mut weights = Weights::default();
    let row = weights.push(0, [(BIAS, 0.0), (0, 1.0), (1, 0.0)]);
    let mut start = Individual::empty(weights);
    start.genes = vec![Gene::new(vec![
        Node::Combination(row),
        Node::Apply(Function::Base(Operator::Sin)),
    ])];
    for (steps, min_steps, taken) in [(5, 0, 3), (5, 4, 4), (1, 0, 0), (0, 2, 2)] {
        let settings = Tuning {
            steps,
            min_steps,
            tolerance: -1.0,
            ..tuning(Rule::IRpropMinus)
        };
        let mut workspace = Workspace::default();
        let (mut got, mut want) = (start.clone(), start.clone());
        got.evaluate(context, &mut workspace);
        tune(&mut got, context, &settings, &mut workspace, &GO);
        for _ in 0..taken {
            want.touch(0);
            want.evaluate(context, &mut workspace);
            gradient(&want, context, Tunable::ALL, &mut workspace);
            step(&settings, &mut want.weights, &workspace.gradient, false);
        }
        assert_eq!(got.weights, want.weights, "{taken} steps");
    }
}

#[test]
fn a_constant_target_without_the_outer_fit_can_be_tuned() {
    let x = common::columns(&mut rng(7), 40, 1);
    let data = multigene_core::evaluate::dataset::Dataset::new(x, &[2.0; 40], None, multigene_core::vector_math::Level::detect())
        .unwrap();
    let context = Context {
        data: &data,
        library: &[],
        fit_genes: false,
    };
    let mut weights = Weights::default();
    let row = weights.push(0, [(BIAS, 0.5), (0, 1.0)]);
    let mut individual = Individual::empty(weights);
    individual.genes = vec![Gene::new(vec![Node::Combination(row)])];
    let mut workspace = Workspace::default();
    individual.evaluate(context, &mut workspace);
    let before = individual.unexplained;
    let settings = Tuning {
        min_steps: 100,
        tolerance: -1.0,
        ..tuning(Rule::IRpropMinus)
    };
    tune(&mut individual, context, &settings, &mut workspace, &GO);
    assert!(individual.unexplained < 1e-3 * before);
}

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
        cache_bytes: usize::MAX,
    };
    let mut population = Population::grow(Arc::new(primitives.clone()), evaluation, &seeds);
    population.evaluate(&data, &GO);
    let settings = tuning(Rule::IRpropMinus);
    let context = Context {
        data: &data,
        library: &[],
        fit_genes: true,
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

#[test]
fn tame_populations_get_better_by_tuning() {
    let primitives = primitives(tame_functions(), 3);
    let data = common::dataset(6, 100, 3, false);
    let seeds: Vec<u64> = (0..30).collect();
    let mut population = Population::grow(
        Arc::new(primitives),
        Evaluation {
            fit_genes: true,
            cache_bytes: usize::MAX,
        },
        &seeds,
    );
    population.evaluate(&data, &GO);
    let before: Vec<f64> = population.individuals.iter().map(|i| i.unexplained).collect();
    population.tune(&data, &tuning(Rule::IRpropMinus), &GO);
    let after = population
        .individuals
        .iter()
        .map(|i| i.peak.as_ref().map_or(i.unexplained, |p| p.unexplained));
    let pairs: Vec<(f64, f64)> = before.into_iter().zip(after).collect();
    assert!(pairs.iter().all(|(before, after)| after <= before));
    assert!(pairs.iter().filter(|(before, after)| *after < 0.98 * before).count() > 10);
}
