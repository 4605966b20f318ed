//! A gene: one expression tree as a postfix list of nodes, children before parents.
use serde::{Deserialize, Serialize};

use crate::tree::operator::Operator;
use crate::tree::weights::Weights;

/// What an inner node applies: an operator of the table, or one the user composed of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Function {
    /// A row of the operator table.
    Base(Operator),
    /// Number and arity of a user's operator in the function set.
    Custom(u16, u8),
}

impl Function {
    /// Does the size of its argument change more than a factor or an addend of its value?
    pub fn depends_on_scale(self) -> bool {
        match self {
            Self::Base(operator) => operator.depends_on_scale(),
            Self::Custom(..) => false,
        }
    }

    /// Number of arguments.
    pub fn arity(self) -> usize {
        match self {
            Self::Base(operator) => operator.arity(),
            Self::Custom(_, arity) => arity as usize,
        }
    }
}

/// A node. Numbers in it are rows of the individual's table of weights, except a variable's, which is its feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Node {
    /// A constant.
    Constant(u32),
    /// A feature as it is.
    Variable(u32),
    /// A linear combination of features (LCF): a + b·x.
    Combination(u32),
    /// A product leaf: s·∏|x|^w.
    Product(u32),
    /// A function of the subtrees before it.
    Apply(Function),
    /// The same with a multiplicative and an additive weight: a + b·f(…) (the paper's last idea for future work).
    Weighted(Function, u32),
}

impl Node {
    /// Number of subtrees.
    pub fn arity(self) -> usize {
        match self {
            Self::Apply(function) | Self::Weighted(function, _) => function.arity(),
            _ => 0,
        }
    }

    /// The row of the weights table it uses.
    pub fn row(self) -> Option<u32> {
        match self {
            Self::Constant(row) | Self::Combination(row) | Self::Product(row) | Self::Weighted(_, row) => Some(row),
            _ => None,
        }
    }

    /// The same node with another row.
    pub fn with_row(self, row: u32) -> Self {
        match self {
            Self::Constant(_) => Self::Constant(row),
            Self::Combination(_) => Self::Combination(row),
            Self::Product(_) => Self::Product(row),
            Self::Weighted(function, _) => Self::Weighted(function, row),
            other => other,
        }
    }
}

/// Size of the subtree that ends at each node.
pub fn sizes(nodes: &[Node]) -> Vec<usize> {
    let mut sizes: Vec<usize> = Vec::with_capacity(nodes.len());
    for (i, node) in nodes.iter().enumerate() {
        let mut size = 1;
        for _ in 0..node.arity() {
            size += sizes[i - size];
        }
        sizes.push(size);
    }
    sizes
}

/// Depth of the subtree that ends at each node; a leaf has depth 1.
pub fn depths(nodes: &[Node]) -> Vec<usize> {
    let mut stack: Vec<usize> = Vec::new();
    nodes
        .iter()
        .map(|node| {
            let children = stack.split_off(stack.len() - node.arity());
            let depth = 1 + children.into_iter().max().unwrap_or(0);
            stack.push(depth);
            depth
        })
        .collect()
}

/// Number of nodes above each node; 0 for the root.
pub fn levels(nodes: &[Node]) -> Vec<usize> {
    let mut levels = vec![0; nodes.len()];
    // From the root down: the nodes after a subtree's last node, read backwards, are its ancestors' later children.
    let mut open: Vec<(usize, usize)> = Vec::new(); // (children still to come, level of those children)
    for (i, node) in nodes.iter().enumerate().rev() {
        let level = open.last().map_or(0, |&(_, level)| level);
        levels[i] = level;
        if let Some(top) = open.last_mut() {
            top.0 -= 1;
            if top.0 == 0 {
                open.pop();
            }
        }
        if node.arity() > 0 {
            open.push((node.arity(), level + 1));
        }
    }
    levels
}

/// Depth of a whole tree.
pub fn depth(nodes: &[Node]) -> usize {
    depths(nodes).last().copied().unwrap_or(0)
}

/// First node of the subtree that ends at node `end`.
pub fn start(nodes: &[Node], end: usize) -> usize {
    let mut missing = 1;
    let mut i = end + 1;
    while missing > 0 {
        i -= 1;
        missing = missing - 1 + nodes[i].arity();
    }
    i
}

/// True when the list is exactly one well-formed tree.
pub fn is_tree(nodes: &[Node]) -> bool {
    let mut height = 0usize;
    for node in nodes {
        if height < node.arity() {
            return false;
        }
        height = height - node.arity() + 1;
    }
    height == 1
}

/// Do two trees say the same, weights included?
pub fn same(nodes: &[Node], weights: &Weights, other: &[Node], other_weights: &Weights) -> bool {
    let row = |node: &Node, weights: &Weights| {
        node.row().map(|row| {
            let row = weights.row(row);
            (row.features.to_vec(), row.values.to_vec())
        })
    };
    nodes.len() == other.len()
        && nodes
            .iter()
            .zip(other)
            .all(|(a, b)| a.with_row(0) == b.with_row(0) && row(a, weights) == row(b, other_weights))
}
