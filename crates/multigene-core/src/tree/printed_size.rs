//! The size of a model: nodes of the tree that SymPy makes of its printed formula, by one pass over the postfix nodes.
//!
//! A value is a number, a sum with its terms or a product with its factors; everything else is a product of one factor. Sums and
//! products have any number of parts, numbers in them fold into one, `x*x` is a power, a quotient is a product with a power of −1
//! and a difference a sum with a product by −1. So `3*x + 1` and `x - y` have five nodes, `x/y` five, `sqrt(x)` three. Python's
//! `expression/printed_size.py` says the same of expressions, and is tested against SymPy.
use crate::tree::gene::{Function, Node};
use crate::tree::individual::{Gene, Individual};
use crate::tree::operator::Operator;
use crate::tree::weights::{BIAS, OWN_VALUE, Row};

/// Beyond this many nodes of an argument that its definition repeats, an operator is printed by name (as in `readable.py`).
const SPELT_OUT: usize = 30;

/// A variable, a logarithm with the size of its argument, or anything else with its size.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Base {
    Variable(u32),
    Logarithm(usize),
    Other(usize),
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Factor {
    base: Base,
    exponent: f64,
}

impl Factor {
    fn size(self) -> usize {
        let base = match self.base {
            Base::Variable(_) => 1,
            Base::Logarithm(argument) => 1 + argument,
            Base::Other(size) => size,
        };
        if self.exponent == 1.0 { base } else { base + 2 }
    }
}

/// Factors, and a number before them unless that is 1.
#[derive(Clone, Debug, Default, PartialEq)]
struct Product {
    number: bool,
    factors: Vec<Factor>,
}

impl Product {
    fn of(base: Base) -> Self {
        Self {
            number: false,
            factors: vec![Factor { base, exponent: 1.0 }],
        }
    }

    fn size(&self) -> usize {
        let parts: usize = self.factors.iter().map(|f| f.size()).sum::<usize>() + usize::from(self.number);
        parts + usize::from(self.factors.len() + usize::from(self.number) > 1)
    }

    fn push(&mut self, factor: Factor) {
        if let Base::Variable(_) = factor.base
            && let Some(i) = self.factors.iter().position(|f| f.base == factor.base)
        {
            self.factors[i].exponent += factor.exponent;
            if self.factors[i].exponent == 0.0 {
                self.factors.remove(i);
            }
            return;
        }
        self.factors.push(factor);
    }

    /// The size of exp of this where it is z·log(a), printed a**z: one logarithm, and something else that is no number.
    fn raised(&self) -> Option<usize> {
        let logarithm = |factor: &Factor| match factor.base {
            Base::Logarithm(argument) if factor.exponent == 1.0 => Some(argument),
            _ => None,
        };
        let argument = self.factors.iter().find_map(logarithm)?;
        let rest = self.factors.iter().copied().filter(|f| logarithm(f).is_none());
        let exponent = Self {
            number: self.number,
            factors: rest.collect(),
        };
        let others = exponent.factors.len();
        (others > 0 && others + 1 == self.factors.len()).then(|| 1 + argument + exponent.size())
    }

    /// Is it a multiple of one variable?
    fn variable(&self) -> Option<u32> {
        match self.factors.as_slice() {
            [
                Factor {
                    base: Base::Variable(j),
                    exponent: 1.0,
                },
            ] => Some(*j),
            _ => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Number,
    Product(Product),
    /// Terms, and whether there is a number beside them; two parts at least.
    Sum(Vec<Product>, bool),
}

impl Value {
    fn other(size: usize) -> Self {
        Self::Product(Product::of(Base::Other(size)))
    }

    fn sum(terms: Vec<Product>, number: bool) -> Self {
        match (terms.len(), number) {
            (0, _) => Self::Number,
            (1, false) => Self::Product(terms.into_iter().next().expect("there is one")),
            _ => Self::Sum(terms, number),
        }
    }

    fn product(product: Product) -> Self {
        if product.factors.is_empty() {
            Self::Number
        } else {
            Self::Product(product)
        }
    }

    fn size(&self) -> usize {
        match self {
            Self::Number => 1,
            Self::Product(product) => product.size(),
            Self::Sum(terms, _) if terms.is_empty() => 1,
            Self::Sum(terms, number) => 1 + terms.iter().map(Product::size).sum::<usize>() + usize::from(*number),
        }
    }

    /// Terms and whether there is a number.
    fn terms(self) -> (Vec<Product>, bool) {
        match self {
            Self::Number => (Vec::new(), true),
            Self::Product(product) => (vec![product], false),
            Self::Sum(terms, number) => (terms, number),
        }
    }

    fn factors(self) -> Product {
        match self {
            Self::Number => Product {
                number: true,
                ..Product::default()
            },
            Self::Product(product) => product,
            sum => Product::of(Base::Other(sum.size())),
        }
    }

    fn plus(self, other: Self) -> Self {
        let ((mut terms, number), (more, another)) = (self.terms(), other.terms());
        for term in more {
            add_term(&mut terms, term);
        }
        Self::sum(terms, number || another)
    }

    /// Times a number other than 1: in front of a product, into every term of a sum.
    fn scaled(self) -> Self {
        match self {
            Self::Number => Self::Number,
            Self::Product(mut product) => {
                product.number = true;
                Self::Product(product)
            }
            Self::Sum(mut terms, number) => {
                terms.iter_mut().for_each(|term| term.number = true);
                Self::Sum(terms, number)
            }
        }
    }

    fn negated(self) -> Self {
        self.scaled()
    }

    fn times(self, other: Self) -> Self {
        if self == Self::Number {
            return other.scaled();
        }
        if other == Self::Number {
            return self.scaled();
        }
        let (mut product, more) = (self.factors(), other.factors());
        product.number |= more.number;
        for factor in more.factors {
            product.push(factor);
        }
        Self::product(product)
    }

    fn power(self, exponent: f64) -> Self {
        if self == Self::Number {
            return self;
        }
        let whole = exponent.fract() == 0.0;
        let mut product = self.factors();
        if whole || product.factors.len() == 1 {
            for factor in &mut product.factors {
                // The root of an even power is one of an absolute value: sqrt(x**2) is no x, but abs(x).
                if !whole && factor.exponent % 2.0 == 0.0 {
                    let size = Factor {
                        exponent: 1.0,
                        ..*factor
                    }
                    .size();
                    factor.base = Base::Other(1 + size);
                }
                factor.exponent *= exponent;
            }
            return Self::Product(product);
        }
        // A number comes out of the root of a product, which stays together.
        let number = std::mem::take(&mut product.number);
        Self::Product(Product {
            number,
            factors: vec![Factor {
                base: Base::Other(product.size()),
                exponent,
            }],
        })
    }

    fn apply(operator: Operator, first: Self, second: Option<Self>) -> Self {
        let second = second.unwrap_or(Self::Number);
        if first == Self::Number && (operator.arity() == 1 || second == Self::Number) {
            return Self::Number;
        }
        let size = first.size();
        match operator {
            Operator::Add => first.plus(second),
            Operator::Sub => first.plus(second.negated()),
            Operator::Mul => first.times(second),
            Operator::Div => first.times(second.power(-1.0)),
            Operator::Neg => first.negated(),
            Operator::Inv => first.power(-1.0),
            Operator::Sqrt => first.power(0.5),
            Operator::Power(n) => first.power(f64::from(n)),
            // 1/(1 + exp(-x)), log(1 + exp(x)), exp(-x**2)
            Operator::Logistic => Self::other(3 + first.negated().size()).power(-1.0),
            // Beside other factors the number of exp(x + 2) is one of theirs.
            Operator::Exp if matches!(first, Self::Sum(_, true)) => {
                let (terms, _) = first.terms();
                let size = 1 + Self::sum(terms, false).size();
                Self::Product(Product {
                    number: true,
                    ..Product::of(Base::Other(size))
                })
            }
            Operator::Exp => {
                let raised = matches!(&first, Self::Product(_)).then(|| first.factors().raised());
                Self::other(raised.flatten().unwrap_or(1 + size))
            }
            Operator::Log => Self::Product(Product::of(Base::Logarithm(size))),
            Operator::Softplus => Self::other(4 + size),
            Operator::Gauss => Self::other(1 + first.power(2.0).negated().size()),
            // (sqrt(x**2 + 1) - 1)/2 + x
            Operator::Bent if size <= SPELT_OUT => {
                let root = Self::other(2 + first.clone().power(2.0).size()).power(0.5);
                first.plus(root.scaled()).plus(Self::Number)
            }
            // x/sqrt(1 + y**2)
            Operator::Aq => {
                let below = 2 + second.power(2.0).size();
                first.times(Self::other(below).power(-0.5))
            }
            _ if operator.arity() == 2 => Self::other(1 + size + second.size()),
            _ => Self::other(1 + size),
        }
    }
}

fn add_term(terms: &mut Vec<Product>, term: Product) {
    if let Some(j) = term.variable()
        && let Some(known) = terms.iter_mut().find(|known| known.variable() == Some(j))
    {
        known.number = true;
        return;
    }
    terms.push(term);
}

impl Individual {
    /// Nodes of the SymPy tree of the printed formula. `shifted` says which features are standardised and so printed as
    /// (x − mean)/scale; none beyond its end.
    pub fn printed_size(&self, shifted: &[bool]) -> usize {
        let mut whole = Value::Sum(Vec::new(), self.intercept != 0.0);
        for (gene, &c) in self.genes.iter().zip(&self.coefficients) {
            if c != 0.0 {
                let value = self.printed_gene(gene, shifted);
                whole = whole.plus(if c == 1.0 { value } else { value.scaled() });
            }
        }
        whole.size().max(1)
    }

    fn printed_gene(&self, gene: &Gene, shifted: &[bool]) -> Value {
        let mut stack: Vec<Value> = Vec::new();
        for &node in &gene.nodes {
            let value = match node {
                Node::Constant(_) => Value::Number,
                Node::Variable(j) => {
                    let mut variable = Product::of(Base::Variable(j));
                    let is_shifted = shifted.get(j as usize).copied().unwrap_or(false);
                    variable.number = is_shifted;
                    Value::sum(vec![variable], is_shifted)
                }
                Node::Combination(row) => combination(self.weights.row(row), shifted),
                Node::Product(row) => monomial(self.weights.row(row)),
                Node::Apply(function) => applied(function, &mut stack),
                Node::Weighted(function, row) => {
                    let row = self.weights.row(row);
                    let value = applied(function, &mut stack);
                    let value = match row.weight_of(OWN_VALUE) {
                        None | Some(0.0) => Value::Number,
                        Some(1.0) => value,
                        Some(_) => value.scaled(),
                    };
                    if row.bias() == 0.0 { value } else { value.plus(Value::Number) }
                }
            };
            stack.push(value);
        }
        stack.pop().unwrap_or(Value::Number)
    }
}

fn combination(row: Row<'_>, shifted: &[bool]) -> Value {
    let mut terms: Vec<Product> = Vec::new();
    let mut number = row.bias() != 0.0;
    for (j, weight) in row.slopes() {
        let is_shifted = shifted.get(j as usize).copied().unwrap_or(false);
        number |= is_shifted;
        let mut term = Product::of(Base::Variable(j));
        term.number = is_shifted || weight != 1.0;
        add_term(&mut terms, term);
    }
    Value::sum(terms, number)
}

fn monomial(row: Row<'_>) -> Value {
    let mut product = Product {
        number: row.iter().any(|(j, w)| j == BIAS && w != 1.0),
        ..Product::default()
    };
    for (j, exponent) in row.slopes() {
        product.push(Factor {
            base: Base::Variable(j),
            exponent,
        });
    }
    Value::product(product)
}

fn applied(function: Function, stack: &mut Vec<Value>) -> Value {
    let second = if function.arity() == 2 { stack.pop() } else { None };
    let first = stack.pop().unwrap_or(Value::Number);
    match function {
        Function::Base(operator) => Value::apply(operator, first, second),
        Function::Custom(..) => Value::other(1 + first.size() + second.map_or(0, |v| v.size())),
    }
}
