//! Second-order tuning: derivatives against finite differences, the projected equations against explicit projection,
//! convergence to known weights, and what it promises: never worse, within its limits, the same every time.
use std::sync::atomic::AtomicBool;

use multigene_core::evaluate::dataset::Dataset;
use multigene_core::evaluate::gradient::{Tape, Tunable};
use multigene_core::evaluate::outer_fit::{Context, Workspace};
use multigene_core::settings::Genes;
use multigene_core::tree::gene::{Function, Node};
use multigene_core::tree::individual::{Gene, Individual};
use multigene_core::tree::operator::Operator;
use multigene_core::tree::text;
use multigene_core::tree::weights::Weights;
use multigene_core::tune::jacobian::{Equations, Point, jacobian};
use multigene_core::tune::levenberg_marquardt::{
    Ending, GeneChoice, LevenbergMarquardt, Outcome, levenberg_marquardt, levenberg_marquardt_until,
};
use multigene_core::tune::linear_algebra;
use multigene_core::tune::parameters::Parameters;
use multigene_core::vary::grow::{Birth, Primitives, SlotRng, Synchronisation};
use multigene_core::vector_math::Level;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};

#[path = "levenberg_marquardt/convergence.rs"]
mod convergence;
#[path = "levenberg_marquardt/equations.rs"]
mod equations;
#[path = "levenberg_marquardt/limits.rs"]
mod limits;

/// A model of these genes, every node with a row of its own.
fn model(genes: &[&str]) -> Individual {
    let mut individual = Individual::empty(Weights::default());
    for gene in genes {
        let (nodes, weights) = text::parse(gene, &[]).expect(gene);
        let mut adopt = |node: Node| {
            node.row()
                .map_or(node, |row| node.with_row(individual.weights.push_copy(&weights, row)))
        };
        let nodes = nodes.into_iter().map(&mut adopt).collect();
        individual.genes.push(Gene::new(nodes));
    }
    individual
}

fn rng(seed: u64) -> SlotRng {
    SlotRng::seed_from_u64(seed)
}

/// Uniform features in -2..2 (the last one in 0.5..2.5) and the target made of them.
fn dataset_at(level: Level, rows: usize, features: usize, weighted: bool, seed: u64, target: impl Fn(&[f64]) -> f64) -> Dataset {
    let mut rng = rng(seed);
    let mut columns = vec![Vec::new(); features];
    let (mut targets, mut weights) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let mut x: Vec<f64> = (0..features).map(|_| rng.random::<f64>() * 4.0 - 2.0).collect();
        x[features - 1] = 0.5 + rng.random::<f64>() * 2.0;
        targets.push(target(&x));
        weights.push(rng.random::<f64>() * 3.0);
        columns.iter_mut().zip(x).for_each(|(column, x)| column.push(x));
    }
    Dataset::new(columns, &targets, weighted.then_some(&weights), level).expect("valid data")
}

fn dataset(rows: usize, features: usize, weighted: bool, seed: u64, target: impl Fn(&[f64]) -> f64) -> Dataset {
    dataset_at(Level::detect(), rows, features, weighted, seed, target)
}

fn context(data: &Dataset) -> Context<'_> {
    Context {
        data,
        library: &[],
        fit_genes: true,
        dependent_below: 1e-10,
    }
}

fn all_parameters(individual: &Individual) -> Parameters {
    let mut parameters = Parameters::default();
    parameters.choose(individual, GeneChoice::All, Tunable::ALL, usize::MAX, &mut rng(0));
    parameters
}

/// Sum of the genes times their present coefficients.
fn predict(individual: &Individual, data: &Dataset) -> Vec<f64> {
    individual.predict(data, &mut Workspace::default())
}

fn tune_with(individual: &mut Individual, genes: GeneChoice, data: &Dataset, settings: &LevenbergMarquardt) -> Outcome {
    levenberg_marquardt(
        individual,
        genes,
        context(data),
        settings,
        &mut Workspace::default(),
        &mut rng(9),
    )
}

fn primitives(features: usize, product: f64) -> Primitives {
    let mut genes = Genes {
        variable_frequency: Some(2.0),
        lcf: Some(Synchronisation::Unsynchronised),
        lcf_frequency: Some(4.0),
        lcf_birth: Birth::Sparse,
        product_frequency: product,
        product_features: Some(Vec::new()),
        weighted_nodes: 0.2,
        initial_depth: Some(5),
        mutation_depth: Some(4),
        max_genes: 4,
        max_nodes: Some(30),
        max_depth: 6,
        ..Genes::default()
    };
    let more = ["div", "log", "sqrt", "inv"].map(|name| (name.into(), None, 1.0));
    genes.functions.extend(more);
    genes.primitives(features).expect("known functions")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn never_worse_and_always_finite(
        seed in any::<u64>(), slot in 0usize..20, rows in 3usize..600, weighted in any::<bool>(), all in any::<bool>(),
        fit_genes in any::<bool>(), decay in prop_oneof![Just(0.0), Just(1e-4)], bound in prop_oneof![Just(f64::INFINITY), Just(12.0)],
    ) {
        let data = dataset(rows, 3, weighted, seed, |x| (x[0] * 2.0).sin() + x[1] * x[2] + x[2].sqrt());
        let context = Context { fit_genes, ..context(&data) };
        let mut workspace = Workspace::default();
        let mut individual = primitives(3, 1.0).individual(slot, &mut rng(seed));
        individual.evaluate(context, &mut workspace);
        let before = individual.clone();
        let genes = if all { GeneChoice::All } else { GeneChoice::One(seed as usize % individual.genes.len()) };
        let settings = LevenbergMarquardt { decay, bound, max_parameters: 24, ..LevenbergMarquardt::default() };
        let tune = |individual: &mut Individual, workspace: &mut Workspace| {
            levenberg_marquardt(individual, genes, context, &settings, workspace, &mut rng(seed))
        };
        // The same with any content of the buffers, and of the cache.
        let mut twin = individual.detach(&[]);
        let outcome = tune(&mut individual, &mut workspace);
        let residual = workspace.residual.clone();
        prop_assert_eq!(outcome, tune(&mut twin, &mut Workspace::default()));
        prop_assert_eq!(individual.unexplained.to_bits(), twin.unexplained.to_bits());

        if outcome.ending == Ending::Unfit {
            prop_assert!(before.unexplained.is_infinite());
            return Ok(());
        }
        prop_assert!(individual.weights.values().iter().all(|w| w.is_finite()));
        prop_assert!(individual.coefficients.iter().all(|c| c.is_finite()) && individual.intercept.is_finite());
        let grown = before.weights.values().iter().zip(individual.weights.values()).any(|(a, b)| b.abs() > a.abs().max(bound));
        prop_assert!(!grown, "a weight beyond the bound");
        let slack = if decay > 0.0 { 1.0 + decay * before.weights.values().iter().map(|w| w * w).sum::<f64>() } else { 1.0 };
        prop_assert!(individual.unexplained <= before.unexplained * slack, "{} after {}", individual.unexplained, before.unexplained);
        if outcome.steps == 0 {
            prop_assert_eq!(&individual.weights, &before.weights);
        }
        // What is left behind is what evaluating anew gives.
        let mut anew = individual.detach(&[]);
        anew.evaluate(context, &mut workspace);
        prop_assert_eq!(anew.unexplained.to_bits(), individual.unexplained.to_bits());
        prop_assert_eq!(&anew.coefficients, &individual.coefficients);
        if fit_genes {
            prop_assert_eq!(&anew.gram, &individual.gram);
        }
        prop_assert_eq!(&residual, &workspace.residual);
    }
}
