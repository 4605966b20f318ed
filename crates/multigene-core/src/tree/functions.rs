//! The function set of a run: operators by name, and operators that users compose of others.
use crate::error::{Error, Result};
use crate::tree::gene::{Function, Node};
use crate::tree::operator::Operator;
use crate::tree::text;
use crate::tree::weights::{BIAS, OWN_VALUE, Weights};

/// Longest definition that is read, in characters.
pub const MOST_CHARACTERS: usize = 4_000;
/// Longest definition that is read, in nodes.
pub const MOST_NODES: usize = 200;
/// Most nodes of a gene with the users' operators put in place. Arguments are repeated as often as an expression names them, so
/// that operators within each other grow beyond all bounds; a gene that is larger is unfit.
pub const MOST_EXPANDED: usize = 2_000;

/// An operator given as an expression of its arguments, e.g. `hill(x) = x**2/(1+x**2)`. Its derivative is that of the expression.
#[derive(Clone, Debug)]
pub struct CustomOperator {
    /// Name in formulas and function sets.
    pub name: String,
    /// Number of arguments: one or two.
    pub arity: u8,
    /// The expression; variable i is argument i.
    pub nodes: Vec<Node>,
    /// Constants of the expression.
    pub weights: Weights,
}

/// Functions that inner nodes may apply, each with a weight in the draw.
#[derive(Clone, Debug, Default)]
pub struct FunctionSet {
    /// What can be drawn.
    pub functions: Vec<Function>,
    /// Relative frequency of each.
    pub frequencies: Vec<f64>,
    /// The users' operators among them.
    pub library: Vec<CustomOperator>,
}

impl FunctionSet {
    /// The sixteen functions of the paper.
    pub fn paper() -> Self {
        let functions: Vec<Function> = Operator::PAPER.iter().map(|&op| Function::Base(op)).collect();
        Self {
            frequencies: vec![1.0; functions.len()],
            functions,
            library: Vec::new(),
        }
    }

    /// Functions by name; a name with an expression defines a new operator of the arguments `x` and `y`.
    pub fn parse<'a>(entries: impl IntoIterator<Item = (&'a str, Option<&'a str>, f64)>) -> Result<Self> {
        let mut set = Self::default();
        for (name, expression, frequency) in entries {
            if !(frequency.is_finite() && frequency > 0.0) {
                return Err(Error::new(format!(
                    "The frequency of function {name:?} is {frequency}; it must be positive."
                )));
            }
            let function = match expression {
                None => Function::Base(Operator::parse(name).ok_or_else(|| unknown(name))?),
                Some(expression) => set.define(name, expression)?,
            };
            if set.functions.contains(&function) {
                return Err(Error::new(format!("Function {name:?} is named twice; name it once.")));
            }
            set.functions.push(function);
            set.frequencies.push(frequency);
        }
        if set.functions.is_empty() {
            return Err(Error::new(
                "The function set is empty; name at least one function, for example \"add\".",
            ));
        }
        Ok(set)
    }

    /// The same from owned entries.
    pub fn of(entries: &[(String, Option<String>, f64)]) -> Result<Self> {
        Self::parse(
            entries
                .iter()
                .map(|(name, definition, frequency)| (name.as_str(), definition.as_deref(), *frequency)),
        )
    }

    fn define(&mut self, name: &str, expression: &str) -> Result<Function> {
        let legal = name.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let taken = name == "weighted" || self.library.iter().any(|custom| custom.name == name);
        if !legal || taken || Operator::parse(name).is_some() {
            return Err(Error::new(format!(
                "A new operator cannot be named {name:?}; take a name of letters, digits and underscores that no operator has yet."
            )));
        }
        if expression.len() > MOST_CHARACTERS {
            return Err(too_long(name));
        }
        let (nodes, weights) = text::parse(expression, &["x", "y"]).map_err(|error| {
            Error::new(format!(
                "Operator {name:?} is defined by {expression:?}, which cannot be read: {error}"
            ))
        })?;
        if nodes.len() > MOST_NODES {
            return Err(too_long(name));
        }
        if nodes
            .iter()
            .any(|node| matches!(node, Node::Combination(_) | Node::Product(_) | Node::Weighted(..)))
        {
            return Err(Error::new(format!(
                "Operator {name:?} is defined by {expression:?}, which has weights to tune; use operators, numbers, x and y alone."
            )));
        }
        let arity = nodes
            .iter()
            .filter_map(|node| {
                if let Node::Variable(i) = node {
                    Some(*i as u8 + 1)
                } else {
                    None
                }
            })
            .max();
        let Some(arity) = arity else {
            return Err(Error::new(format!(
                "Operator {name:?} is defined by {expression:?}, which uses neither x nor y."
            )));
        };
        let number = self.library.len() as u16;
        self.library.push(CustomOperator {
            name: name.into(),
            arity,
            nodes,
            weights,
        });
        Ok(Function::Custom(number, arity))
    }
}

fn too_long(name: &str) -> Error {
    Error::new(format!(
        "The definition of operator {name:?} is longer than {MOST_CHARACTERS} characters or {MOST_NODES} operators, numbers and \
         variables; give a shorter one."
    ))
}

fn unknown(name: &str) -> Error {
    let names: Vec<String> = Operator::ALL.iter().map(|op| op.name()).collect();
    Error::new(format!(
        "There is no function {name:?}; take one of {}, a power such as pow3, or give an expression for it.",
        names.join(", ")
    ))
}

/// Number of nodes that a gene has once the users' operators are put in place.
pub fn expanded_size(nodes: &[Node], library: &[CustomOperator]) -> usize {
    let mut stack: Vec<usize> = Vec::new();
    for &node in nodes {
        let arguments = stack.split_off(stack.len() - node.arity());
        let size = match node {
            Node::Apply(Function::Custom(number, _)) | Node::Weighted(Function::Custom(number, _), _) => {
                let parts = library[number as usize].nodes.iter().map(|part| match part {
                    Node::Variable(i) => arguments[*i as usize],
                    _ => 1,
                });
                parts.fold(0, usize::saturating_add)
            }
            _ => arguments.into_iter().fold(1, usize::saturating_add),
        };
        stack.push(size);
    }
    stack.pop().unwrap_or(0)
}

/// Puts the users' operators in place, so that a gene stands on its own; a gene of more than `MOST_EXPANDED` nodes, which is unfit,
/// becomes zero.
pub fn expand(nodes: &[Node], weights: &mut Weights, library: &[CustomOperator]) -> Vec<Node> {
    if library.is_empty() {
        return nodes.to_vec();
    }
    if expanded_size(nodes, library) > MOST_EXPANDED {
        return vec![Node::Constant(weights.push_constant(0.0))];
    }
    let mut stack: Vec<Vec<Node>> = Vec::new();
    for &node in nodes {
        let arguments = stack.split_off(stack.len() - node.arity());
        let tree = match node {
            Node::Apply(Function::Custom(number, _)) => library[number as usize].applied_to(&arguments, weights),
            Node::Weighted(Function::Custom(number, _), row) => {
                let tree = library[number as usize].applied_to(&arguments, weights);
                weighted(tree, row, weights)
            }
            _ => arguments.into_iter().flatten().chain([node]).collect(),
        };
        stack.push(tree);
    }
    stack.pop().unwrap_or_default()
}

impl CustomOperator {
    /// The expression with these trees as its arguments; its constants become rows of `weights`.
    fn applied_to(&self, arguments: &[Vec<Node>], weights: &mut Weights) -> Vec<Node> {
        let mut tree = Vec::new();
        for &node in &self.nodes {
            match node {
                Node::Variable(i) => tree.extend_from_slice(&arguments[i as usize]),
                Node::Constant(row) => tree.push(Node::Constant(weights.push_constant(self.weights.constant(row)))),
                other => tree.push(other),
            }
        }
        tree
    }
}

/// a + b·f(…) of a tree f(…), with a and b from a row of weights: the root carries the weights, with any operator.
fn weighted(mut tree: Vec<Node>, row: u32, weights: &mut Weights) -> Vec<Node> {
    match tree.pop() {
        Some(Node::Apply(root)) => tree.push(Node::Weighted(root, row)),
        // The operator is its argument, whose root has no place for a second pair of weights.
        root => {
            tree.extend(root);
            let weight = |wanted| weights.row(row).weight_of(wanted).unwrap_or(0.0);
            let (a, b) = (weight(BIAS), weight(OWN_VALUE));
            let (a, b) = (weights.push_constant(a), weights.push_constant(b));
            tree.splice(0..0, [Node::Constant(a), Node::Constant(b)]);
            tree.extend([Operator::Mul, Operator::Add].map(|operator| Node::Apply(Function::Base(operator))));
        }
    }
    tree
}
