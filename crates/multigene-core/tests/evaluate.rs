//! The block evaluator against a naive one that goes row by row and node by node.
mod common;

use common::{all_functions, columns, evaluate_gene, naive, naive_with, primitives, random_gene, rng, uniform};
use multigene_core::evaluate::dataset::Dataset;
use multigene_core::evaluate::forward::{BLOCK, Scratch, evaluate};
use multigene_core::evaluate::loops::LANES;
use multigene_core::evaluate::program::{Operand, Program};
use multigene_core::tree::functions::CustomOperator;
use multigene_core::tree::gene::{Function, Node};
use multigene_core::tree::operator::Operator;
use multigene_core::tree::weights::Weights;
use multigene_core::vector_math::Level;

/// Is `got` the gene's value up to what rounding can do? It is told by how much small noise moves the naive value.
fn is_value(got: f64, nodes: &[Node], weights: &Weights, library: &[CustomOperator], x: &[f64], seed: u64) -> bool {
    let want = naive(nodes, weights, library, x);
    let mut rng = rng(seed);
    let noisy: Vec<f64> = (0..4)
        .map(|_| {
            naive_with(nodes, weights, library, x, &mut |v, scale| {
                v + 1e-13 * uniform(&mut rng, -1.0, 1.0) * scale
            })
        })
        .collect();
    let finite = noisy.iter().filter(|v| v.is_finite()).count() + usize::from(want.is_finite());
    match finite {
        0 => !got.is_finite(),
        5 => {
            let spread = noisy.iter().map(|v| (v - want).abs()).fold(0.0, f64::max);
            // What noise moves that far (a sign, a wild sine) has no value to compare.
            spread > 1e-3 * want.abs() || (got - want).abs() <= 10.0 * spread + 1e-13 * want.abs() + 1e-300
        }
        _ => true, // on the brink of being undefined
    }
}

#[test]
fn equals_the_naive_evaluator() {
    let (primitives, mut rng) = (primitives(all_functions(), 3), rng(1));
    let library = &primitives.functions.library;
    for round in 0..600 {
        let (nodes, weights) = random_gene(&primitives, 1 + round % 7, &mut rng);
        let rows = 1 + common::below(&mut rng, 100);
        let x = columns(&mut rng, rows, 3);
        for level in Level::available() {
            let got = evaluate_gene(&nodes, &weights, library, x.clone(), level);
            for k in 0..rows {
                let row = [x[0][k], x[1][k], x[2][k]];
                assert!(
                    is_value(got[k], &nodes, &weights, library, &row, k as u64),
                    "{nodes:?} {weights:?} at {row:?} is {:e}, not {:e} ({level:?})",
                    got[k],
                    naive(&nodes, &weights, library, &row)
                );
            }
        }
    }
}

#[test]
fn a_row_does_not_depend_on_other_rows() {
    let (primitives, mut rng) = (primitives(all_functions(), 2), rng(2));
    let library = &primitives.functions.library;
    let edges = [
        1,
        LANES - 1,
        LANES,
        LANES + 1,
        BLOCK - 1,
        BLOCK,
        BLOCK + 1,
        2 * BLOCK,
        777,
        1999,
        2000,
    ];
    let all = columns(&mut rng, 2000, 2);
    for round in 0..60 {
        let (nodes, weights) = random_gene(&primitives, 2 + round % 6, &mut rng);
        for level in Level::available() {
            let whole = evaluate_gene(&nodes, &weights, library, all.clone(), level);
            let random = 1 + common::below(&mut rng, 1999);
            for rows in edges.into_iter().chain([random]) {
                let first = common::below(&mut rng, 2000 - rows + 1);
                let part: Vec<Vec<f64>> = all.iter().map(|c| c[first..first + rows].to_vec()).collect();
                let got = evaluate_gene(&nodes, &weights, library, part, level);
                let same = got
                    .iter()
                    .zip(&whole[first..])
                    .all(|(a, b)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()));
                assert!(same && got.len() == rows, "rows {first}.. of {nodes:?}");
            }
        }
    }
}

#[test]
fn buffers_kept_between_genes_and_data_change_nothing() {
    let (primitives, mut rng) = (primitives(all_functions(), 2), rng(3));
    let library = &primitives.functions.library;
    let mut scratch = Scratch::default();
    for round in 0..200 {
        let (nodes, weights) = random_gene(&primitives, 1 + round % 8, &mut rng);
        let rows = 1 + common::below(&mut rng, 600);
        let x = columns(&mut rng, rows, 2);
        let fresh = evaluate_gene(&nodes, &weights, library, x.clone(), Level::detect());
        let data = Dataset::features(x, rows, Level::detect());
        let mut out = vec![0.0; data.padded()];
        evaluate(
            &Program::compile(&nodes, &weights, library),
            &weights,
            &data,
            &mut scratch,
            &mut out,
        );
        assert!(
            out[..rows]
                .iter()
                .zip(&fresh)
                .all(|(a, b)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()))
        );
    }
}

#[test]
fn no_step_writes_where_it_or_a_later_step_reads() {
    let (primitives, mut rng) = (primitives(all_functions(), 2), rng(4));
    for round in 0..300 {
        let (nodes, weights) = random_gene(&primitives, 1 + round % 8, &mut rng);
        let program = Program::compile(&nodes, &weights, &primitives.functions.library);
        let mut holds: Vec<Option<usize>> = vec![None; program.n_slots];
        for (i, step) in program.steps.iter().enumerate() {
            for operand in step.operands() {
                if let Operand::Value(j) = operand {
                    let slot = program.slots[j as usize] as usize;
                    assert_eq!(
                        holds[slot],
                        Some(j as usize),
                        "step {i} reads a buffer that holds something else"
                    );
                    assert_ne!(program.slots[i] as usize, slot, "step {i} writes where it reads");
                }
            }
            holds[program.slots[i] as usize] = Some(i);
        }
    }
}

#[test]
fn bare_leaves_and_constants() {
    let mut weights = Weights::default();
    let constant = weights.push_constant(-2.5);
    let other = weights.push_constant(4.0);
    let x = vec![vec![1.0, 2.0, 3.0], vec![-1.0, 0.5, 7.0]];
    let run = |nodes: &[Node]| evaluate_gene(nodes, &weights, &[], x.clone(), Level::detect());
    let apply = |operator| Node::Apply(Function::Base(operator));
    assert_eq!(run(&[Node::Variable(1)]), x[1]);
    assert_eq!(run(&[Node::Constant(constant)]), vec![-2.5; 3]);
    assert_eq!(run(&[Node::Constant(constant), apply(Operator::Abs)]), vec![2.5; 3]);
    assert_eq!(
        run(&[Node::Constant(constant), Node::Constant(other), apply(Operator::Sub)]),
        vec![-6.5; 3]
    );
    assert_eq!(
        run(&[Node::Constant(constant), Node::Constant(constant), apply(Operator::Sub)]),
        vec![0.0; 3]
    );
    assert_eq!(
        run(&[Node::Constant(other), Node::Variable(0), apply(Operator::Div)]),
        vec![4.0, 2.0, 4.0 / 3.0]
    );
    assert_eq!(
        run(&[Node::Variable(0), Node::Constant(other), apply(Operator::Div)]),
        vec![0.25, 0.5, 0.75]
    );
}

#[test]
fn features_that_are_not_finite_pass_through() {
    let x = vec![vec![f64::NAN, f64::INFINITY, -f64::INFINITY, 1.0]];
    let got = evaluate_gene(
        &[Node::Variable(0), Node::Apply(Function::Base(Operator::Tanh))],
        &Weights::default(),
        &[],
        x,
        Level::detect(),
    );
    assert!(got[0].is_nan());
    assert_eq!(got[1..3], [1.0, -1.0]);
}
