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

#[path = "tuning/rules.rs"]
mod rules;
#[path = "tuning/synchronised.rs"]
mod synchronised;

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
            dependent_below: 1e-10,
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
        let earlier = individual.weights.values().to_vec();
        step(tuning, &mut individual.weights, &workspace.gradient, worse);
        if earlier == individual.weights.values() {
            worse = false; // all signs changed, or nothing has a derivative: no reason to end
            continue;
        }
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
        dependent_below: 1e-10,
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
        dependent_below: 1e-10,
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
        dependent_below: 1e-10,
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

#[test]
fn tame_populations_get_better_by_tuning() {
    let primitives = primitives(tame_functions(), 3);
    let data = common::dataset(6, 100, 3, false);
    let seeds: Vec<u64> = (0..30).collect();
    let mut population = Population::grow(
        Arc::new(primitives),
        Evaluation {
            fit_genes: true,
            dependent_below: 1e-10,
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
