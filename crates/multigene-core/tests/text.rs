//! Gene → text → gene is the same, bit for bit; the parser answers every text with a gene or a sentence.
mod common;

use common::{all_functions, primitives, random_gene, rng};
use multigene_core::tree::functions::expand;
use multigene_core::tree::gene::{Node, depth, is_tree};
use multigene_core::tree::text::{parse, print};
use multigene_core::tree::weights::Weights;
use proptest::prelude::*;
use rand::RngExt;

/// A node without its row, and the row's features, weights as bits, and index.
type Bits = (Node, Vec<u32>, Vec<u64>, Option<u32>);

/// Rows as bits, node by node, so that -0.0 and 0.0 differ.
fn bits(nodes: &[Node], weights: &Weights) -> Vec<Bits> {
    nodes
        .iter()
        .map(|node| {
            let row = node.row().map(|row| weights.row(row));
            (
                node.with_row(0),
                row.map_or_else(Vec::new, |r| r.features.to_vec()),
                row.map_or_else(Vec::new, |r| r.values.iter().map(|v| v.to_bits()).collect()),
                row.filter(|_| matches!(node, Node::Combination(_))).map(|r| r.index),
            )
        })
        .collect()
}

#[test]
fn genes_are_read_back_bit_for_bit() {
    let (primitives, mut rng) = (primitives(all_functions(), 4), rng(1));
    for round in 0..2000 {
        let (nodes, mut weights) = random_gene(&primitives, 1 + round % 7, &mut rng);
        for value in weights.values_mut() {
            let drawn = f64::from_bits(rng.random::<u64>());
            let extremes = [
                0.0,
                -0.0,
                1.0,
                -1.0,
                5e-324,
                -5e-324,
                f64::MAX,
                f64::MIN,
                f64::MIN_POSITIVE,
                0.1,
                1e21,
                -1e-7,
            ];
            *value = match round % 3 {
                0 => *value,
                1 => extremes[common::below(&mut rng, extremes.len())],
                _ if drawn.is_finite() => drawn,
                _ => 1e300,
            };
        }
        let nodes = expand(&nodes, &mut weights, &primitives.functions.library);
        let text = print(&nodes, &weights, &[]);
        let (read, read_weights) = parse(&text, &[]).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(bits(&nodes, &weights), bits(&read, &read_weights), "{text}");
        assert_eq!(print(&read, &read_weights, &[]), text);
    }
}

#[test]
fn users_operators_are_printed_by_name() {
    let (primitives, mut rng) = (primitives(all_functions(), 2), rng(2));
    let texts: Vec<String> = (0..200)
        .map(|_| {
            let (nodes, weights) = random_gene(&primitives, 4, &mut rng);
            print(&nodes, &weights, &primitives.functions.library)
        })
        .collect();
    assert!(texts.iter().any(|t| t.contains("hill(")) && texts.iter().any(|t| t.contains("mix(")));
}

#[test]
fn ordinary_notation() {
    for (text, printed) in [
        ("x0+x1*x2", "x0 + x1 * x2"),
        ("(x0+x1)*x2", "(x0 + x1) * x2"),
        ("x0-(x1-x2)", "x0 - (x1 - x2)"),
        ("x0-x1-x2", "x0 - x1 - x2"),
        ("x0/(x1/x2)", "x0 / (x1 / x2)"),
        ("-x0^2", "neg(x0**2)"),
        ("(-2)**2", "(-2.0)**2"),
        ("-2**2", "neg(2.0**2)"),
        ("2--3", "2.0 - -3.0"),
        ("x0**-3", "x0**-3"),
        ("square(cube(x1))", "(x1**3)**2"),
        ("ln(.5e1)", "log(5.0)"),
        ("min(x0, max(1, 2))", "min(x0, max(1.0, 2.0))"),
        ("[1: 0.5 + -2*x1]", "[1: 0.5 + -2.0*x1]"),
        ("{2: x0^1 x3^-0.5}", "{2.0: x0^1.0 x3^-0.5}"),
        ("weighted(1, -2, x0*x1)", "weighted(1.0, -2.0, x0 * x1)"),
    ] {
        let (nodes, weights) = parse(text, &[]).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(print(&nodes, &weights, &[]), printed);
    }
    let (nodes, _) = parse("height * width", &["width", "height"]).unwrap();
    assert_eq!(nodes[..2], [Node::Variable(1), Node::Variable(0)]);
}

#[test]
fn what_is_wrong_is_said() {
    for (text, word) in [
        ("", "too early"),
        ("x0 +", "too early"),
        ("x0 x1", "after the end"),
        ("foo(x0)", "foo"),
        ("y", "unknown variable"),
        ("x4294967295", "unknown variable"),
        ("x99999999999", "unknown variable"),
        ("sin(x0", "\")\""),
        ("add(x0)", "\",\""),
        ("x0**1", "exponent"),
        ("x0**0.5", "exponent"),
        ("x0**33", "exponent"),
        ("x0**1e300", "exponent"),
        ("1e999", "too large"),
        ("x0 $ x1", "'$'"),
        (".", "not a number"),
        ("[0: 1*x0 + 2*x0]", "twice"),
        ("[0.5: 1*x0]", "index"),
        ("[0:]", "number"),
        ("{1: x0^1 x0^2}", "twice"),
        ("{1: x0", "\"^\""),
        ("weighted(1, 2, x0)", "needs a function"),
        ("weighted(1, 2, weighted(1, 2, sin(x0)))", "needs a function"),
    ] {
        let error = parse(text, &[]).expect_err(text).to_string();
        assert!(error.contains(word), "{text}: {error}");
    }
}

#[test]
fn deep_nesting_is_refused_with_a_sentence() {
    for (open, close) in [
        ("(", ")"),
        ("sin(", ")"),
        ("-", ""),
        ("weighted(1, 2, sin(", "))"),
        ("add(1, ", ")"),
        ("-(", ")"),
    ] {
        for deep in [201, 5_000, 100_000] {
            let text = format!("{}x0{}", open.repeat(deep), close.repeat(deep));
            let error = parse(&text, &[]).expect_err(open).to_string();
            assert!(error.contains("nested more than 200"), "{error}");
        }
        let shallow = format!("{}x0{}", open.repeat(90), close.repeat(90));
        let (nodes, _) = parse(&shallow, &[]).unwrap();
        assert!(is_tree(&nodes) && depth(&nodes) <= 181);
    }
    // Length alone is no nesting.
    let long = vec!["x0"; 50_000].join(" + ");
    assert_eq!(parse(&long, &[]).unwrap().0.len(), 99_999);
}

proptest! {
    #![proptest_config(common::cases(2000))]

    #[test]
    fn any_text_is_a_tree_or_an_error(text in "\\PC{0,60}") {
        if let Ok((nodes, _)) = parse(&text, &[]) {
            prop_assert!(is_tree(&nodes));
        }
    }

    #[test]
    fn any_tokens_are_a_tree_or_an_error(tokens in prop::collection::vec(prop::sample::select(vec![
        "x0", "x1", "y", "sin", "add", "weighted", "pow3", "(", ")", "[", "]", "{", "}", ",", ":", "+", "-", "*", "/", "**", "^",
        "1", "2.5", "-3", "1e3", "0", ".", "e", "é", "\t", "4294967294", "x4294967293",
    ]), 0..25), spaced in any::<bool>()) {
        let text = tokens.join(if spaced { " " } else { "" });
        if let Ok((nodes, weights)) = parse(&text, &[]) {
            prop_assert!(is_tree(&nodes));
            let printed = print(&nodes, &weights, &[]);
            let (again, again_weights) = parse(&printed, &[]).unwrap();
            prop_assert_eq!(bits(&nodes, &weights), bits(&again, &again_weights));
        }
    }
}
