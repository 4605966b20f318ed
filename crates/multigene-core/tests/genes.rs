//! Shapes of trees against a recursive reference; users' operators.
mod common;

use common::{all_functions, naive, primitives, random_gene, rng, uniform};
use multigene_core::evaluate::dataset::Dataset;
use multigene_core::evaluate::outer_fit::{Context, Workspace};
use multigene_core::tree::functions::{FunctionSet, MOST_EXPANDED, expand, expanded_size};
use multigene_core::tree::gene::{Function, Node, depth, depths, is_tree, levels, sizes, start};
use multigene_core::tree::individual::{Gene, Individual};
use multigene_core::tree::operator::Operator;
use multigene_core::tree::weights::{BIAS, OWN_VALUE, Weights};
use multigene_core::vector_math::Level;

struct Tree {
    end: usize,
    children: Vec<Tree>,
}

impl Tree {
    /// The tree whose root is node `end`: children are found from the last to the first.
    fn of(nodes: &[Node], end: usize) -> Self {
        let mut children = Vec::new();
        let mut next = end;
        for _ in 0..nodes[end].arity() {
            let child = Self::of(nodes, next - 1);
            next = child.first();
            children.insert(0, child);
        }
        Self { end, children }
    }

    fn first(&self) -> usize {
        self.children.first().map_or(self.end, Self::first)
    }

    fn size(&self) -> usize {
        1 + self.children.iter().map(Self::size).sum::<usize>()
    }

    fn depth(&self) -> usize {
        1 + self.children.iter().map(Self::depth).max().unwrap_or(0)
    }

    fn visit(&self, level: usize, seen: &mut dyn FnMut(&Self, usize)) {
        seen(self, level);
        for child in &self.children {
            child.visit(level + 1, seen);
        }
    }
}

#[test]
fn shapes_equal_the_recursive_reference() {
    let (primitives, mut rng) = (primitives(all_functions(), 3), rng(1));
    let mut largest = 0;
    for round in 0..400 {
        let (nodes, _) = random_gene(&primitives, 1 + round % 8, &mut rng);
        largest = largest.max(nodes.len());
        let tree = Tree::of(&nodes, nodes.len() - 1);
        assert_eq!(tree.first(), 0);
        assert!(is_tree(&nodes));
        assert_eq!(depth(&nodes), tree.depth());
        let (sizes, depths, levels) = (sizes(&nodes), depths(&nodes), levels(&nodes));
        let mut visited = 0;
        tree.visit(0, &mut |part, level| {
            visited += 1;
            assert_eq!(sizes[part.end], part.size());
            assert_eq!(depths[part.end], part.depth());
            assert_eq!(levels[part.end], level);
            assert_eq!(start(&nodes, part.end), part.first());
            assert!(is_tree(&nodes[part.first()..=part.end]));
        });
        assert_eq!(visited, nodes.len());
        if nodes.len() > 1 {
            assert!(!is_tree(&nodes[..nodes.len() - 1]) || nodes[nodes.len() - 1].arity() == 1);
            assert!(!is_tree(&nodes[1..]));
        }
    }
    assert!(largest > 50);
    assert!(!is_tree(&[]));
    assert_eq!(depth(&[]), 0);
}

#[test]
fn expanded_operators_mean_the_same() {
    let (primitives, mut rng) = (primitives(all_functions(), 3), rng(2));
    let library = &primitives.functions.library;
    let mut expanded_some = 0;
    for _ in 0..300 {
        let (nodes, mut weights) = random_gene(&primitives, 5, &mut rng);
        let before = weights.clone();
        let tree = expand(&nodes, &mut weights, library);
        assert!(is_tree(&tree));
        assert!(
            tree.iter()
                .all(|n| !matches!(n, Node::Apply(Function::Custom(..)) | Node::Weighted(Function::Custom(..), _)))
        );
        expanded_some += usize::from(tree.len() != nodes.len());
        let x: Vec<f64> = (0..3).map(|_| uniform(&mut rng, -2.0, 2.0)).collect();
        let (a, b) = (naive(&nodes, &before, library, &x), naive(&tree, &weights, &[], &x));
        assert!(a == b || (a.is_nan() && b.is_nan()), "{a} became {b}");
    }
    assert!(expanded_some > 50);
}

#[test]
fn weights_of_an_operator_that_is_its_argument_survive_expansion() {
    let set = FunctionSet::parse([("itself", Some("x"), 1.0)]).unwrap();
    let mut weights = Weights::default();
    let outer = weights.push(BIAS, [(BIAS, 3.0), (OWN_VALUE, 2.0)]);
    let inner = weights.push(BIAS, [(BIAS, -1.0), (OWN_VALUE, 0.5)]);
    let itself = Function::Custom(0, 1);
    let sine = Node::Weighted(Function::Base(Operator::Sin), inner);
    for nodes in [
        vec![Node::Variable(0), Node::Weighted(itself, outer)],
        vec![Node::Variable(0), sine, Node::Weighted(itself, outer)],
        vec![
            Node::Variable(0),
            Node::Weighted(itself, inner),
            Node::Weighted(itself, outer),
        ],
    ] {
        let mut table = weights.clone();
        let tree = expand(&nodes, &mut table, &set.library);
        let want = naive(&nodes, &weights, &set.library, &[0.7]);
        assert_eq!(naive(&tree, &table, &[], &[0.7]), want);
    }
}

#[test]
fn definitions_are_bounded_before_they_are_expanded() {
    let sum = |n: usize| vec!["x"; n].join("+");
    for expression in [
        sum(101),
        sum(1_000_000),
        format!("x{}", "+1".repeat(2_000)),
        format!("{}x", " ".repeat(5_000)),
    ] {
        let error = FunctionSet::parse([("f", Some(expression.as_str()), 1.0)])
            .unwrap_err()
            .to_string();
        assert!(error.contains("longer than") && error.len() < 300, "{error}");
    }
    let set = FunctionSet::parse([("f", Some(sum(100).as_str()), 1.0)]).unwrap();
    let f = Node::Apply(Function::Custom(0, 1));
    for depth in [0, 1, 2, 5, 40] {
        let nodes: Vec<Node> = std::iter::once(Node::Variable(0)).chain(vec![f; depth]).collect();
        let size = expanded_size(&nodes, &set.library);
        let tree = expand(&nodes, &mut Weights::default(), &set.library);
        assert_eq!(tree.len(), if size <= MOST_EXPANDED { size } else { 1 });
        assert_eq!(size > MOST_EXPANDED, depth >= 2);
        let data = Dataset::new(vec![vec![1.0, 2.0, 4.0, 5.0]], &[1.0, 2.0, 4.0, 6.0], None, Level::detect()).unwrap();
        let mut individual = Individual::empty(Weights::default());
        individual.genes.push(Gene::new(nodes));
        let context = Context {
            library: &set.library,
            ..Context::of(&data)
        };
        individual.evaluate(context, &mut Workspace::default());
        assert_eq!(individual.unexplained.is_finite(), size <= MOST_EXPANDED);
    }
}

#[test]
fn function_sets_refuse_what_they_cannot_use() {
    for (entries, word) in [
        (vec![("nosuch", None, 1.0)], "nosuch"),
        (vec![("sin", None, 0.0)], "positive"),
        (vec![("sin", None, f64::NAN)], "positive"),
        (vec![("sin", None, 1.0), ("sin", None, 2.0)], "twice"),
        (vec![], "empty"),
        (vec![("sin", Some("x"), 1.0)], "cannot be named"),
        (vec![("a b", Some("x"), 1.0)], "cannot be named"),
        (vec![("weighted", Some("x + 1"), 1.0)], "cannot be named"),
        (vec![("f", Some("x"), 1.0), ("f", Some("x + 1"), 1.0)], "cannot be named"),
        (vec![("f", Some("z"), 1.0)], "cannot be read"),
        (vec![("f", Some("2 + 3"), 1.0)], "neither x nor y"),
        (vec![("f", Some("x + [0: 1.0 + 2.0*x]"), 1.0)], "weights"),
        (vec![("f", Some("x + {1.0: x^2.0}"), 1.0)], "weights"),
        (vec![("f", Some("weighted(1.0, 2.0, sin(x))"), 1.0)], "weights"),
    ] {
        let error = FunctionSet::parse(entries.clone())
            .expect_err(&format!("{entries:?} was accepted"))
            .to_string();
        assert!(error.contains(word), "{entries:?}: {error}");
    }
}
