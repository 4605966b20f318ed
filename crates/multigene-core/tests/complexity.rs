//! Complexity is the number of nodes of the printed formula, counted here on a formula written out sign by sign.
mod common;

use common::{all_functions, primitives, random_gene, rng, uniform};
use multigene_core::tree::functions::expand;
use multigene_core::tree::gene::{Function, Node};
use multigene_core::tree::individual::{Gene, Individual};
use multigene_core::tree::operator::{Notation, Operator};
use multigene_core::tree::text;
use multigene_core::tree::weights::{BIAS, OWN_VALUE, Weights};

/// A formula as its signs, names and numbers; brackets and commas are not written.
type Formula = Vec<String>;

fn joined(parts: Vec<Formula>, sign: &str, empty: &str) -> Formula {
    let parts = parts.into_iter().reduce(|mut all, part| {
        all.push(sign.into());
        all.extend(part);
        all
    });
    parts.unwrap_or_else(|| vec![empty.into()])
}

fn times(factor: f64, formula: Formula) -> Formula {
    if factor == 1.0 {
        formula
    } else {
        joined(vec![vec![format!("{factor}")], formula], "*", "")
    }
}

fn number(value: f64, absent: f64) -> Option<Formula> {
    (value != absent).then(|| vec![format!("{value}")])
}

fn gene(nodes: &[Node], weights: &Weights) -> Formula {
    let mut stack: Vec<Formula> = Vec::new();
    for node in nodes {
        let arguments = stack.split_off(stack.len() - node.arity());
        let apply = |function: Function| match function {
            Function::Base(Operator::Power(n)) => joined(vec![arguments[0].clone(), vec![format!("{n}")]], "**", ""),
            Function::Base(operator) => match operator.notation() {
                Notation::Infix(sign, _) => joined(arguments.clone(), sign, ""),
                _ => std::iter::once(operator.name())
                    .chain(arguments.iter().flatten().cloned())
                    .collect(),
            },
            Function::Custom(..) => panic!("not expanded"),
        };
        let formula = match *node {
            Node::Constant(row) => vec![format!("{}", weights.constant(row))],
            Node::Variable(feature) => vec![format!("x{feature}")],
            Node::Combination(row) => {
                let row = weights.row(row);
                let terms = row
                    .iter()
                    .filter(|t| t.0 != BIAS && t.1 != 0.0)
                    .map(|(f, w)| times(w, vec![format!("x{f}")]));
                joined(number(row.bias(), 0.0).into_iter().chain(terms).collect(), "+", "0")
            }
            Node::Product(row) => {
                let row = weights.row(row);
                let factors = row.iter().filter(|t| t.0 != BIAS && t.1 != 0.0).map(|(f, w)| match w {
                    1.0 => vec![format!("x{f}")],
                    _ => vec![format!("x{f}"), "^".into(), format!("{w}")],
                });
                joined(number(row.bias(), 1.0).into_iter().chain(factors).collect(), "*", "1")
            }
            Node::Apply(function) => apply(function),
            Node::Weighted(function, row) => {
                let row = weights.row(row);
                let factor = row.iter().find(|t| t.0 == OWN_VALUE).unwrap().1;
                joined(
                    number(row.bias(), 0.0)
                        .into_iter()
                        .chain([times(factor, apply(function))])
                        .collect(),
                    "+",
                    "0",
                )
            }
        };
        stack.push(formula);
    }
    stack.pop().unwrap()
}

fn model(individual: &Individual) -> Formula {
    let fitted = individual
        .genes
        .iter()
        .zip(&individual.coefficients)
        .filter(|(_, c)| **c != 0.0);
    let genes = fitted.map(|(g, &c)| times(c, gene(&g.nodes, &individual.weights)));
    joined(number(individual.intercept, 0.0).into_iter().chain(genes).collect(), "+", "0")
}

#[test]
fn equals_the_count_on_the_written_formula() {
    let (primitives, mut rng) = (primitives(all_functions(), 3), rng(1));
    for round in 0..2000 {
        let mut individual = Individual::empty(Weights::default());
        for _ in 0..common::below(&mut rng, 4) {
            let (nodes, weights) = random_gene(&primitives, 1 + round % 5, &mut rng);
            let nodes: Vec<Node> = nodes
                .iter()
                .map(|n| {
                    n.row()
                        .map_or(*n, |row| n.with_row(individual.weights.push_copy(&weights, row)))
                })
                .collect();
            let nodes = expand(&nodes, &mut individual.weights, &primitives.functions.library);
            individual.genes.push(Gene::new(nodes));
        }
        let mut draw = |often: [f64; 3]| match common::below(&mut rng, 5) {
            k @ 0..=2 => often[k],
            _ => uniform(&mut rng, -2.0, 2.0),
        };
        for value in individual.weights.values_mut() {
            *value = draw([0.0, 1.0, -1.0]);
        }
        individual.intercept = draw([0.0, 1.0, 0.0]);
        individual.coefficients = individual.genes.iter().map(|_| draw([0.0, 1.0, -1.0])).collect();
        assert_eq!(
            individual.complexity(),
            model(&individual).len(),
            "{}",
            model(&individual).join(" ")
        );
    }
}

#[test]
fn counts_people_can_check() {
    for (intercept, genes, size) in [
        (0.0, vec![], 1),                                         // 0
        (2.0, vec![], 1),                                         // 2
        (2.0, vec![(0.0, "sin(x0)")], 1),                         // 2
        (0.0, vec![(1.0, "x0")], 1),                              // x0
        (0.0, vec![(3.0, "x0")], 3),                              // 3*x0
        (2.0, vec![(3.0, "x0")], 5),                              // 2 + 3*x0
        (2.0, vec![(1.0, "x0"), (3.0, "x1")], 7),                 // 2 + x0 + 3*x1
        (0.0, vec![(1.0, "7.5")], 1),                             // 7.5
        (0.0, vec![(1.0, "x0**2")], 3),                           // x0**2
        (0.0, vec![(1.0, "x0 * x1")], 3),                         // x0*x1
        (0.0, vec![(1.0, "sin([0: 0.0 + 1.0*x0 + 0.0*x1])")], 2), // sin(x0)
        (0.0, vec![(1.0, "[0: 0.5 + 1.0*x0 + 2.0*x1]")], 7),      // 0.5 + x0 + 2*x1
        (0.0, vec![(1.0, "[0: 0.0 + 0.0*x0]")], 1),               // 0
        (0.0, vec![(1.0, "[0: 0.5 + 0.0*x0]")], 1),               // 0.5
        (0.0, vec![(1.0, "{1.0: x0^1.0}")], 1),                   // x0
        (0.0, vec![(1.0, "{2.0: x0^1.0 x1^-0.5}")], 7),           // 2*x0*x1^-0.5
        (0.0, vec![(1.0, "weighted(0.0, 1.0, sin(x0))")], 2),     // sin(x0)
        (0.0, vec![(1.0, "weighted(0.5, 2.0, sin(x0))")], 6),     // 0.5 + 2*sin(x0)
        (0.0, vec![(1.0, "weighted(0.0, 2.0, x0**3)")], 5),       // 2*x0**3
    ] {
        let mut individual = Individual::empty(Weights::default());
        individual.intercept = intercept;
        for (coefficient, gene) in &genes {
            let (nodes, weights) = text::parse(gene, &[]).unwrap();
            let nodes = nodes.iter().map(|n| {
                n.row()
                    .map_or(*n, |row| n.with_row(individual.weights.push_copy(&weights, row)))
            });
            let nodes = nodes.collect();
            individual.genes.push(Gene::new(nodes));
            individual.coefficients.push(*coefficient);
        }
        assert_eq!(individual.complexity(), size, "{intercept} {genes:?}");
    }
}

#[test]
fn printed_sizes_are_those_of_sympys_trees() {
    let size = |genes: &[&str], intercept: f64, coefficients: &[f64]| {
        let texts: Vec<String> = genes.iter().map(|gene| gene.to_string()).collect();
        Individual::parse(&texts, intercept, coefficients.to_vec())
            .unwrap()
            .printed_size(&[])
    };
    assert_eq!(size(&["0.0"], 2.5, &[0.0]), 1);
    assert_eq!(size(&["x0"], 1.0, &[3.0]), 5);
    assert_eq!(size(&["x0 - x1"], 0.0, &[1.0]), 5);
    assert_eq!(size(&["x0 / x1"], 0.0, &[1.0]), 5);
    assert_eq!(size(&["x0 * x0"], 0.0, &[1.0]), 3);
    assert_eq!(size(&["sqrt(x0)"], 0.0, &[1.0]), 3);
    assert_eq!(size(&["exp(x1 * log(x0))"], 0.0, &[1.0]), 3); // x0**x1
    assert_eq!(size(&["exp(log(x0 + 1.0) / x1)"], 1.0, &[2.0]), 11);
    assert_eq!(size(&["sqrt(x0**2)"], 0.0, &[1.0]), 2); // abs(x0), which is not one with x0
    assert_eq!(size(&["sqrt(x0**2)", "x0"], 0.0, &[2.0, 3.0]), 8);
    assert_eq!(size(&["[0: 1.5 + 2.0*x0 + 3.0*x1]", "x0"], 1.0, &[2.0, 3.0]), 8);
}
