//! A gene made ready for the machine: a straight list of steps whose operands are read where they are.
//!
//! Compiling resolves rows of weights, puts users' operators in place, and assigns buffers; it costs a few
//! nanoseconds per node, so genes are compiled each time they are evaluated.
use crate::tree::functions::CustomOperator;
use crate::tree::gene::{Function, Node};
use crate::tree::operator::Operator;
use crate::tree::weights::{BIAS, OWN_VALUE, Weights};

/// A weight that cannot be tuned: a number inside a user's operator.
pub const FIXED: u32 = u32::MAX;

/// Where a step reads an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operand {
    /// Feature column.
    Column(u32),
    /// One number for all rows, and its place in the table of weights.
    Constant(f64, u32),
    /// Result of an earlier step.
    Value(u32),
}

/// One pass over a block of rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// One number in all rows.
    Fill(f64, u32),
    /// LCF: a + b·x of a row of weights.
    Combination(u32),
    /// s·∏|x|^w of a row of weights.
    Product(u32),
    /// Operator of one argument (never a constant).
    Unary(Operator, Operand),
    /// Operator of two arguments (never two constants).
    Binary(Operator, Operand, Operand),
    /// a + b·value: the weights of an inner node. Places of a and b in the table of weights.
    Affine(u32, u32, Operand),
}

impl Step {
    /// The arguments it reads.
    pub fn operands(self) -> impl Iterator<Item = Operand> {
        let (first, second) = match self {
            Self::Unary(_, x) | Self::Affine(_, _, x) => (Some(x), None),
            Self::Binary(_, x, y) => (Some(x), Some(y)),
            _ => (None, None),
        };
        first.into_iter().chain(second)
    }
}

/// The steps of one gene.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// In the order in which they run.
    pub steps: Vec<Step>,
    /// Buffer each step writes to when results are needed only until they are used.
    pub slots: Vec<u16>,
    /// Number of such buffers.
    pub n_slots: usize,
}

impl Program {
    /// Compiles a gene. The last step holds its value.
    pub fn compile(nodes: &[Node], weights: &Weights, library: &[CustomOperator]) -> Self {
        let mut program = Self {
            steps: Vec::with_capacity(nodes.len()),
            slots: Vec::new(),
            n_slots: 0,
        };
        let root = program.append(nodes, weights, library, None);
        if !matches!(root, Operand::Value(i) if i as usize + 1 == program.steps.len()) {
            program.materialise_root(root);
        }
        program.assign_slots();
        program
    }

    fn append(
        &mut self,
        nodes: &[Node],
        weights: &Weights,
        library: &[CustomOperator],
        arguments: Option<&[Operand]>,
    ) -> Operand {
        let mut stack: Vec<Operand> = Vec::with_capacity(16);
        for &node in nodes {
            let operand = match node {
                Node::Constant(row) => {
                    let place = if arguments.is_some() {
                        FIXED
                    } else {
                        weights.range(row).start as u32
                    };
                    Operand::Constant(weights.constant(row), place)
                }
                Node::Variable(feature) => arguments.map_or(Operand::Column(feature), |a| a[feature as usize]),
                Node::Combination(row) => self.push(Step::Combination(row)),
                Node::Product(row) => self.push(Step::Product(row)),
                Node::Apply(function) => self.apply(function, &mut stack, library),
                Node::Weighted(function, row) => {
                    let value = self.apply(function, &mut stack, library);
                    let value = self.not_constant(value);
                    let row = weights.row(row);
                    let place = |wanted| row.start as u32 + row.features.iter().position(|&f| f == wanted).unwrap_or(0) as u32;
                    self.push(Step::Affine(place(BIAS), place(OWN_VALUE), value))
                }
            };
            stack.push(operand);
        }
        stack.pop().expect("a gene has at least one node")
    }

    fn apply(&mut self, function: Function, stack: &mut Vec<Operand>, library: &[CustomOperator]) -> Operand {
        match function {
            Function::Base(operator) if operator.arity() == 1 => {
                let x = stack.pop().expect("well-formed gene");
                let x = self.not_constant(x);
                self.push(Step::Unary(operator, x))
            }
            Function::Base(operator) => {
                let y = stack.pop().expect("well-formed gene");
                let mut x = stack.pop().expect("well-formed gene");
                if matches!((x, y), (Operand::Constant(..), Operand::Constant(..))) {
                    x = self.not_constant(x);
                }
                self.push(Step::Binary(operator, x, y))
            }
            Function::Custom(number, arity) => {
                let arguments = stack.split_off(stack.len() - arity as usize);
                let custom = &library[number as usize];
                self.append(&custom.nodes, &custom.weights, library, Some(&arguments))
            }
        }
    }

    fn push(&mut self, step: Step) -> Operand {
        self.steps.push(step);
        Operand::Value(self.steps.len() as u32 - 1)
    }

    fn not_constant(&mut self, operand: Operand) -> Operand {
        match operand {
            Operand::Constant(value, place) => self.push(Step::Fill(value, place)),
            other => other,
        }
    }

    /// Gives a gene whose root is a bare column or constant (or an argument of a user's operator) a last step of its own.
    fn materialise_root(&mut self, root: Operand) {
        match root {
            Operand::Constant(value, place) => self.push(Step::Fill(value, place)),
            other => self.push(Step::Binary(Operator::Add, other, Operand::Constant(0.0, FIXED))),
        };
    }

    /// A buffer is free again after the last use of what it holds; a step never writes where it reads.
    fn assign_slots(&mut self) {
        let mut last_use: Vec<usize> = (0..self.steps.len()).collect();
        for (i, step) in self.steps.iter().enumerate() {
            for operand in step.operands() {
                if let Operand::Value(j) = operand {
                    last_use[j as usize] = i;
                }
            }
        }
        let mut free: Vec<u16> = Vec::new();
        self.slots = Vec::with_capacity(self.steps.len());
        for (i, step) in self.steps.iter().enumerate() {
            let slot = free.pop().unwrap_or_else(|| {
                self.n_slots += 1;
                self.n_slots as u16 - 1
            });
            self.slots.push(slot);
            let mut released = [None; 2];
            for (k, operand) in step.operands().enumerate() {
                if let Operand::Value(j) = operand {
                    let slot = self.slots[j as usize];
                    if last_use[j as usize] == i && released[0] != Some(slot) {
                        released[k] = Some(slot);
                        free.push(slot);
                    }
                }
            }
        }
    }
}
