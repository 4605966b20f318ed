//! What several test files need: plain references, random data, random settings.
#![allow(dead_code)] // each test file uses its own part

use multigene_core::evaluate::dataset::Dataset;
use multigene_core::evaluate::forward::{Scratch, evaluate};
use multigene_core::evaluate::program::Program;
use multigene_core::settings::Genes;
use multigene_core::tree::functions::{CustomOperator, FunctionSet};
use multigene_core::tree::gene::{Function, Node, depth, is_tree};
use multigene_core::tree::individual::{Gene, Individual};
use multigene_core::tree::operator::Operator;
use multigene_core::tree::text;
use multigene_core::tree::weights::{BIAS, OWN_VALUE, Weights};
use multigene_core::vary::grow::{Birth, Primitives, Shape, SlotRng, Synchronisation};
use multigene_core::vector_math::Level;
use rand::{RngExt, SeedableRng};

/// The number of cases of a property, or as many as the variable PROPTEST_CASES says.
pub fn cases(usual: u32) -> proptest::test_runner::Config {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok());
    proptest::test_runner::Config::with_cases(asked.unwrap_or(usual))
}

pub fn rng(seed: u64) -> SlotRng {
    SlotRng::seed_from_u64(seed)
}

pub fn uniform(rng: &mut SlotRng, low: f64, high: f64) -> f64 {
    low + (high - low) * rng.random::<f64>()
}

pub fn below(rng: &mut SlotRng, n: usize) -> usize {
    rng.random_range(0..n as u32) as usize
}

/// Every operator of the table and every power.
pub fn all_operators() -> Vec<Operator> {
    let powers = (-32..=32).filter_map(Operator::power);
    Operator::ALL.iter().copied().chain(powers).collect()
}

/// The operator's value by the plainest formula; `b` is ignored by operators of one argument.
pub fn reference(operator: Operator, a: f64, b: f64) -> f64 {
    match operator {
        Operator::Neg => -a,
        Operator::Sin => a.sin(),
        Operator::Cos => a.cos(),
        Operator::Exp => a.exp(),
        Operator::Logistic => 1.0 / (1.0 + a.exp()),
        Operator::Tanh => a.tanh(),
        Operator::Sinc => {
            if a == 0.0 {
                1.0
            } else {
                a.sin() / a
            }
        }
        Operator::Softplus => {
            if a > 0.0 {
                a + (-a).exp().ln_1p()
            } else {
                a.exp().ln_1p()
            }
        }
        Operator::Gauss => (-a * a).exp(),
        Operator::Log => a.ln(),
        Operator::Sqrt => a.sqrt(),
        Operator::Abs => a.abs(),
        Operator::Inv => 1.0 / a,
        Operator::Atan => a.atan(),
        Operator::Erf => libm::erf(a),
        Operator::Bent => ((a * a + 1.0).sqrt() - 1.0) / 2.0 + a,
        Operator::Sign => {
            if a == 0.0 {
                0.0
            } else {
                a.signum()
            }
        }
        Operator::Add => a + b,
        Operator::Sub => a - b,
        Operator::Mul => a * b,
        Operator::Div => a / b,
        Operator::Aq => a / (1.0 + b * b).sqrt(),
        Operator::Min if a.is_nan() || b.is_nan() => f64::NAN,
        Operator::Max if a.is_nan() || b.is_nan() => f64::NAN,
        Operator::Min => a.min(b),
        Operator::Max => a.max(b),
        Operator::Power(n) => libm::pow(a, f64::from(n)),
    }
}

/// Changes an intermediate value, given the size of what it was summed from.
pub type Noise<'a> = &'a mut dyn FnMut(f64, f64) -> f64;

/// A gene's value on one row, node by node.
pub fn naive(nodes: &[Node], weights: &Weights, library: &[CustomOperator], x: &[f64]) -> f64 {
    naive_with(nodes, weights, library, x, &mut |value, _| value)
}

/// The same with `noise` applied to every intermediate value.
pub fn naive_with(nodes: &[Node], weights: &Weights, library: &[CustomOperator], x: &[f64], noise: Noise) -> f64 {
    let mut stack: Vec<f64> = Vec::new();
    for &node in nodes {
        let (value, scale) = match node {
            Node::Constant(row) => (weights.constant(row), 0.0),
            Node::Variable(feature) => (x[feature as usize], 0.0),
            Node::Combination(row) => {
                let terms = || {
                    weights
                        .row(row)
                        .iter()
                        .map(|(f, w)| if f == BIAS { w } else { w * x[f as usize] })
                        .collect::<Vec<_>>()
                };
                (terms().iter().sum(), terms().iter().map(|t| t.abs()).sum())
            }
            Node::Product(row) => {
                let factor = |(f, w): (u32, f64)| if f == BIAS { w } else { libm::pow(x[f as usize].abs(), w) };
                let value: f64 = weights.row(row).iter().map(factor).product();
                (value, value.abs())
            }
            Node::Apply(function) => {
                let value = call(function, &mut stack, library, noise);
                (value, value.abs())
            }
            Node::Weighted(function, row) => {
                let inner = call(function, &mut stack, library, noise);
                let weight = |wanted| weights.row(row).iter().find(|term| term.0 == wanted).unwrap().1;
                let (a, b) = (weight(BIAS), weight(OWN_VALUE));
                (a + b * inner, a.abs() + (b * inner).abs())
            }
        };
        stack.push(noise(value, scale));
    }
    assert_eq!(stack.len(), 1, "not a tree");
    stack[0]
}

fn call(function: Function, stack: &mut Vec<f64>, library: &[CustomOperator], noise: Noise) -> f64 {
    let arguments = stack.split_off(stack.len() - function.arity());
    match function {
        Function::Base(operator) => reference(operator, arguments[0], arguments.get(1).copied().unwrap_or(0.0)),
        Function::Custom(number, _) => {
            let custom = &library[number as usize];
            naive_with(&custom.nodes, &custom.weights, library, &arguments, noise)
        }
    }
}

/// Feature columns with values of ordinary size.
pub fn columns(rng: &mut SlotRng, rows: usize, features: usize) -> Vec<Vec<f64>> {
    (0..features)
        .map(|_| (0..rows).map(|_| uniform(rng, -3.0, 3.0)).collect())
        .collect()
}

/// A target that is no simple function of the features.
pub fn target(rng: &mut SlotRng, columns: &[Vec<f64>]) -> Vec<f64> {
    (0..columns[0].len())
        .map(|k| columns.iter().map(|c| (1.3 * c[k]).sin() + 0.2 * c[k] * c[k]).sum::<f64>() + uniform(rng, -0.3, 0.3))
        .collect()
}

pub fn dataset(seed: u64, rows: usize, features: usize, weighted: bool) -> Dataset {
    let mut rng = rng(seed);
    let columns = columns(&mut rng, rows, features);
    let y = target(&mut rng, &columns);
    let weights: Vec<f64> = (0..rows).map(|_| uniform(&mut rng, 0.0, 2.0)).collect();
    Dataset::new(columns, &y, weighted.then_some(&weights[..]), Level::detect()).unwrap()
}

/// Every operator, some powers, and users' operators: one that uses its argument twice, one that ignores its first, one
/// with constants, and one that is its argument.
pub fn all_functions() -> FunctionSet {
    let names: Vec<String> = Operator::ALL.iter().map(|op| op.name()).collect();
    let plain = names.iter().map(|name| (name.as_str(), None, 1.0));
    let powers = ["pow2", "pow3", "pow4", "pow5", "pow6", "pow7", "pow-1", "pow-3"].map(|name| (name, None, 0.5));
    let custom = [
        ("hill", Some("x**2 / (1.5 + x**2)"), 2.0),
        ("second", Some("sin(y) - 0.25"), 2.0),
        ("mix", Some("x*tanh(y) + 0.5*x"), 2.0),
        ("itself", Some("x"), 1.0),
    ];
    FunctionSet::parse(plain.chain(powers).chain(custom)).unwrap()
}

/// Functions that keep values and slopes of ordinary size, so that finite differences are accurate.
pub fn tame_functions() -> FunctionSet {
    let names = [
        "add", "sub", "mul", "sin", "cos", "tanh", "logistic", "sinc", "softplus", "gauss", "atan", "erf", "bent", "aq", "neg",
    ];
    let plain = names.map(|name| (name, None, 1.0));
    let custom = [
        ("hill", Some("x**2 / (1.5 + x**2)"), 1.0),
        ("second", Some("sin(y) - 0.25"), 1.0),
        ("mix", Some("x*tanh(y) + 0.5*x"), 1.0),
        ("itself", Some("x"), 0.5),
    ];
    FunctionSet::parse(plain.into_iter().chain(custom)).unwrap()
}

/// Small limits, as tests need them.
fn small() -> Genes {
    Genes {
        max_genes: 4,
        max_depth: 6,
        initial_depth: Some(5),
        mutation_depth: Some(5),
        ..Genes::default()
    }
}

pub fn primitives(functions: FunctionSet, n_features: usize) -> Primitives {
    let genes = Genes {
        variable_frequency: Some(4.0),
        lcf: Some(Synchronisation::Unsynchronised),
        lcf_frequency: Some(4.0),
        lcf_birth: Birth::Random,
        lcf_range: (-2.0, 2.0),
        product_frequency: 2.0,
        product_features: Some(Vec::new()),
        constant_frequency: 3.0,
        constant_range: (-3.0, 3.0),
        weighted_nodes: 0.3,
        ..small()
    };
    Primitives {
        functions,
        ..genes.primitives(n_features).unwrap()
    }
}

/// The paper's set-up (Table 2) for the three modes.
pub fn paper(n_features: usize, synchronisation: Synchronisation) -> Primitives {
    let genes = Genes {
        lcf: Some(synchronisation),
        ..small()
    };
    genes.primitives(n_features).unwrap()
}

/// A random tree with weights that are not those of birth.
pub fn random_gene(primitives: &Primitives, depth: usize, rng: &mut SlotRng) -> (Vec<Node>, Weights) {
    let mut weights = Weights::default();
    let mut nodes = Vec::new();
    let shape = if rng.random_bool(0.5) { Shape::Grow } else { Shape::Full };
    primitives.tree(shape, depth, &mut nodes, &mut weights, rng);
    for node in &nodes {
        if let Node::Weighted(_, row) = *node {
            let range = weights.range(row);
            for value in &mut weights.values_mut()[range] {
                *value = uniform(rng, -2.0, 2.0);
            }
        }
    }
    (nodes, weights)
}

/// A gene's values on the rows of some columns.
pub fn evaluate_gene(
    nodes: &[Node],
    weights: &Weights,
    library: &[CustomOperator],
    columns: Vec<Vec<f64>>,
    level: Level,
) -> Vec<f64> {
    let rows = columns[0].len();
    let data = Dataset::features(columns, rows, level);
    let program = Program::compile(nodes, weights, library);
    let mut out = vec![f64::NAN; data.padded()];
    evaluate(&program, weights, &data, &mut Scratch::default(), &mut out);
    out.truncate(rows);
    out
}

/// What must hold of every individual at any time.
pub fn assert_sound(individual: &Individual, primitives: &Primitives) {
    let limits = primitives.limits;
    assert!((1..=limits.max_genes).contains(&individual.genes.len()));
    let mut used = vec![0; individual.weights.len()];
    for gene in &individual.genes {
        assert!(is_tree(&gene.nodes));
        assert!(depth(&gene.nodes) <= limits.max_depth && gene.nodes.len() <= limits.max_nodes);
        for node in &gene.nodes {
            if let Node::Variable(feature) = *node {
                assert!((feature as usize) < primitives.n_features);
            }
            let Some(row) = node.row() else { continue };
            assert!((row as usize) < individual.weights.len(), "row {row} does not exist");
            used[row as usize] += 1;
            let index_row = primitives.shares_rows() && (row as usize) < primitives.n_features;
            assert_eq!(
                index_row,
                primitives.shares_rows() && matches!(node, Node::Combination(_)),
                "{node:?}"
            );
            assert!(individual.weights.row(row).values.iter().all(|v| v.is_finite()));
        }
    }
    let own = if primitives.shares_rows() { primitives.n_features } else { 0 };
    assert!(
        used[own..].iter().all(|&count| count <= 1),
        "two nodes share a row that is not an index's"
    );
    for index in 0..own as u32 {
        let row = individual.weights.row(index);
        assert_eq!(
            (row.index, row.start, row.values.len()),
            (index, index as usize * (own + 1), own + 1)
        );
    }
    if let Some(rivals) = &individual.rivals {
        assert_eq!(primitives.synchronisation, Synchronisation::Synchronised);
        assert_eq!(rivals.0.len(), rivals.1.len());
        for index in &rivals.0 {
            assert!(
                used[*index as usize] > 0,
                "a conflict about index {index}, which nothing uses"
            );
        }
    }
}

/// An individual of genes given as text.
pub fn of_texts(genes: &[String]) -> Individual {
    let mut individual = Individual::empty(Default::default());
    for gene in genes {
        let (nodes, weights) = text::parse(gene, &[]).unwrap();
        let nodes = nodes
            .iter()
            .map(|n| {
                n.row()
                    .map_or(*n, |row| n.with_row(individual.weights.push_copy(&weights, row)))
            })
            .collect();
        individual.genes.push(Gene::new(nodes));
    }
    individual
}
