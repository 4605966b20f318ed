//! Gene ↔ text, without loss: what is printed here and read back is the same gene, bit for bit.
//!
//! Text is ordinary infix notation over `x0`, `x1`, …; a linear combination is written in brackets with its index,
//! `[0: 1.5 + 2*x0 + -1*x3]`, a product leaf in braces, `{2: x0^1 x3^-0.5}`, weights of an inner node as
//! `weighted(a, b, sin(x0))`, a constant that stands at several places of a model, with its number, as `shared(3, 1.5)`. (Formulas for people, with column names and rounding, are made in Python.)
use std::fmt::Write;

use crate::error::{Error, Result};
use crate::tree::functions::CustomOperator;
use crate::tree::gene::{Function, Node};
use crate::tree::operator::{Notation, Operator};
use crate::tree::tokens::{Token, tokenise};
use crate::tree::weights::{BIAS, OWN_VALUE, Row, Weights};

/// Deepest nesting that is read; more is refused rather than risking the stack.
const MAX_NESTING: usize = 200;
const ATOM: u8 = 9;
const POWER: u8 = 3;

/// Prints a gene.
pub fn print(nodes: &[Node], weights: &Weights, library: &[CustomOperator]) -> String {
    let mut stack: Vec<(String, u8)> = Vec::new();
    for &node in nodes {
        let arguments = stack.split_off(stack.len() - node.arity());
        let printed = match node {
            Node::Constant(row) => (print_constant(weights.row(row)), ATOM),
            Node::Variable(feature) => (format!("x{feature}"), ATOM),
            Node::Combination(row) => (print_combination(weights.row(row)), ATOM),
            Node::Product(row) => (print_product(weights.row(row)), ATOM),
            Node::Apply(function) => print_call(function, arguments, library),
            Node::Weighted(function, row) => {
                let (call, _) = print_call(function, arguments, library);
                let weight = |wanted| weights.row(row).weight_of(wanted).unwrap_or(0.0);
                (format!("weighted({:?}, {:?}, {call})", weight(BIAS), weight(OWN_VALUE)), ATOM)
            }
        };
        stack.push(printed);
    }
    stack.pop().map_or_else(String::new, |(text, _)| text)
}

fn print_call(function: Function, arguments: Vec<(String, u8)>, library: &[CustomOperator]) -> (String, u8) {
    let within = |(text, precedence): &(String, u8), least: u8| {
        if *precedence < least || (least > 2 && text.starts_with('-')) {
            format!("({text})")
        } else {
            text.clone()
        }
    };
    match function {
        Function::Base(operator) => match operator.notation() {
            Notation::Infix(symbol, precedence) => (
                format!(
                    "{} {symbol} {}",
                    within(&arguments[0], precedence),
                    within(&arguments[1], precedence + 1)
                ),
                precedence,
            ),
            Notation::Power => {
                let Operator::Power(n) = operator else {
                    unreachable!("only powers are written as powers")
                };
                (format!("{}**{n}", within(&arguments[0], ATOM)), POWER)
            }
            Notation::Call => (call(&operator.name(), &arguments), ATOM),
        },
        Function::Custom(number, _) => (call(&library[number as usize].name, &arguments), ATOM),
    }
}

fn call(name: &str, arguments: &[(String, u8)]) -> String {
    let arguments: Vec<&str> = arguments.iter().map(|(text, _)| text.as_str()).collect();
    format!("{name}({})", arguments.join(", "))
}

fn print_constant(row: Row) -> String {
    match row.index {
        BIAS => format!("{:?}", row.bias()),
        index => format!("shared({index}, {:?})", row.bias()),
    }
}

fn print_combination(row: Row) -> String {
    let mut text = format!("[{}:", row.index);
    for (i, (feature, weight)) in row.iter().enumerate() {
        let sign = if i == 0 { " " } else { " + " };
        let _ = if feature == BIAS {
            write!(text, "{sign}{weight:?}")
        } else {
            write!(text, "{sign}{weight:?}*x{feature}")
        };
    }
    text + "]"
}

fn print_product(row: Row) -> String {
    let scale = row.weight_of(BIAS).unwrap_or(1.0);
    let factors: Vec<String> = row
        .iter()
        .filter(|&(f, _)| f != BIAS)
        .map(|(f, w)| format!("x{f}^{w:?}"))
        .collect();
    format!("{{{scale:?}: {}}}", factors.join(" "))
}

/// Reads a gene. `names` are the variables' names; without names they are `x0`, `x1`, ….
pub fn parse(text: &str, names: &[&str]) -> Result<(Vec<Node>, Weights)> {
    let mut parser = Parser {
        tokens: tokenise(text)?,
        at: 0,
        names,
        nodes: Vec::new(),
        weights: Weights::default(),
    };
    parser.expression(0)?;
    match parser.peek() {
        None => Ok((parser.nodes, parser.weights)),
        Some(token) => Err(Error::new(format!("unexpected {token} after the end of the expression"))),
    }
}

struct Parser<'a> {
    tokens: Vec<Token>,
    at: usize,
    names: &'a [&'a str],
    nodes: Vec<Node>,
    weights: Weights,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn take(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Sign(s)) if *s == sign);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Result<()> {
        if self.take(sign) {
            return Ok(());
        }
        let found = self.peek().map_or_else(|| "the end".into(), ToString::to_string);
        Err(Error::new(format!("expected {sign:?} but found {found}")))
    }

    fn push(&mut self, operator: Operator) {
        self.nodes.push(Node::Apply(Function::Base(operator)));
    }

    fn expression(&mut self, nesting: usize) -> Result<()> {
        if nesting > MAX_NESTING {
            return Err(Error::new(format!("the expression is nested more than {MAX_NESTING} deep")));
        }
        self.term(nesting)?;
        loop {
            let operator = if self.take("+") {
                Operator::Add
            } else if self.take("-") {
                Operator::Sub
            } else {
                return Ok(());
            };
            self.term(nesting)?;
            self.push(operator);
        }
    }

    fn term(&mut self, nesting: usize) -> Result<()> {
        self.factor(nesting)?;
        loop {
            let operator = if self.take("*") {
                Operator::Mul
            } else if self.take("/") {
                Operator::Div
            } else {
                return Ok(());
            };
            self.factor(nesting)?;
            self.push(operator);
        }
    }

    fn factor(&mut self, nesting: usize) -> Result<()> {
        if !self.take("-") {
            return self.power(nesting);
        }
        if nesting >= MAX_NESTING {
            return Err(Error::new(format!("the expression is nested more than {MAX_NESTING} deep")));
        }
        // A minus before a bare number belongs to the number; before a power it applies to the power.
        let bare = matches!(self.peek(), Some(Token::Number(_)))
            && !matches!(self.tokens.get(self.at + 1), Some(Token::Sign("**" | "^")));
        if bare {
            let value = self.number()?;
            let row = self.weights.push_constant(-value);
            self.nodes.push(Node::Constant(row));
            return Ok(());
        }
        self.factor(nesting + 1)?;
        self.push(Operator::Neg);
        Ok(())
    }

    fn power(&mut self, nesting: usize) -> Result<()> {
        self.atom(nesting)?;
        if self.take("**") || self.take("^") {
            let exponent = self.signed()?;
            let operator = (exponent.fract() == 0.0 && exponent.abs() <= 32.0)
                .then(|| Operator::power(exponent as i32))
                .flatten();
            match operator {
                Some(operator) => self.push(operator),
                None => {
                    return Err(Error::new(format!(
                        "the exponent {exponent} is not a whole number from -32 to 32 other than 0 and 1; use exp and log for other powers"
                    )));
                }
            }
        }
        Ok(())
    }

    fn number(&mut self) -> Result<f64> {
        match self.peek() {
            Some(&Token::Number(value)) => {
                self.at += 1;
                Ok(value)
            }
            other => Err(Error::new(format!(
                "expected a number but found {}",
                other.map_or_else(|| "the end".into(), ToString::to_string)
            ))),
        }
    }

    fn signed(&mut self) -> Result<f64> {
        let negative = self.take("-");
        let value = self.number()?;
        Ok(if negative { -value } else { value })
    }

    fn atom(&mut self, nesting: usize) -> Result<()> {
        if self.take("(") {
            self.expression(nesting + 1)?;
            return self.expect(")");
        }
        if self.take("[") {
            return self.combination();
        }
        if self.take("{") {
            return self.product();
        }
        match self.peek().cloned() {
            Some(Token::Number(value)) => {
                self.at += 1;
                let row = self.weights.push_constant(value);
                self.nodes.push(Node::Constant(row));
                Ok(())
            }
            Some(Token::Name(name)) => {
                self.at += 1;
                if self.take("(") {
                    self.function(&name, nesting)
                } else {
                    self.variable(&name).map(|f| self.nodes.push(Node::Variable(f)))
                }
            }
            Some(token) => Err(Error::new(format!("unexpected {token}"))),
            None => Err(Error::new("the expression ends too early")),
        }
    }

    fn variable(&self, name: &str) -> Result<u32> {
        let found = if self.names.is_empty() {
            name.strip_prefix('x')
                .and_then(|digits| digits.parse::<u32>().ok())
                .filter(|&f| f < OWN_VALUE)
        } else {
            self.names.iter().position(|n| *n == name).map(|i| i as u32)
        };
        found.ok_or_else(|| {
            let known = if self.names.is_empty() {
                "x0, x1, …".into()
            } else {
                self.names.join(", ")
            };
            Error::new(format!("unknown variable {name:?}; variables here are {known}"))
        })
    }

    fn function(&mut self, name: &str, nesting: usize) -> Result<()> {
        if name == "weighted" {
            return self.weighted(nesting);
        }
        if name == "shared" {
            return self.shared();
        }
        let operator = Operator::parse(name).ok_or_else(|| Error::new(format!("unknown function {name:?}")))?;
        for i in 0..operator.arity() {
            if i > 0 {
                self.expect(",")?;
            }
            self.expression(nesting + 1)?;
        }
        self.expect(")")?;
        self.push(operator);
        Ok(())
    }

    fn weighted(&mut self, nesting: usize) -> Result<()> {
        let a = self.signed()?;
        self.expect(",")?;
        let b = self.signed()?;
        self.expect(",")?;
        self.expression(nesting + 1)?;
        self.expect(")")?;
        let Some(Node::Apply(function)) = self.nodes.pop() else {
            return Err(Error::new("weighted(a, b, …) needs a function as its third argument"));
        };
        let row = self.weights.push(BIAS, [(BIAS, a), (OWN_VALUE, b)]);
        self.nodes.push(Node::Weighted(function, row));
        Ok(())
    }

    /// A constant by its number; where it stands again, its first value counts.
    fn shared(&mut self) -> Result<()> {
        let index = self.index("a shared constant")?;
        self.expect(",")?;
        let value = self.signed()?;
        self.expect(")")?;
        let known = self.weights.shared_constant(index);
        let row = known.unwrap_or_else(|| self.weights.push(index, [(BIAS, value)]));
        self.nodes.push(Node::Constant(row));
        Ok(())
    }

    fn index(&mut self, what: &str) -> Result<u32> {
        let index = self.number()?;
        if index.fract() != 0.0 || !(0.0..f64::from(OWN_VALUE)).contains(&index) {
            return Err(Error::new(format!("{index} is not the index of {what}")));
        }
        Ok(index as u32)
    }

    fn combination(&mut self) -> Result<()> {
        let index = self.index("a linear combination")?;
        self.expect(":")?;
        let mut terms = Vec::new();
        loop {
            let weight = self.signed()?;
            let feature = if self.take("*") { self.feature()? } else { BIAS };
            terms.push((feature, weight));
            if !self.take("+") {
                break;
            }
        }
        self.expect("]")?;
        distinct(&terms)?;
        let row = self.weights.push(index, terms);
        self.nodes.push(Node::Combination(row));
        Ok(())
    }

    fn feature(&mut self) -> Result<u32> {
        match self.peek().cloned() {
            Some(Token::Name(name)) => {
                self.at += 1;
                self.variable(&name)
            }
            _ => Err(Error::new("expected a variable")),
        }
    }

    fn product(&mut self) -> Result<()> {
        let mut terms = vec![(BIAS, self.signed()?)];
        self.expect(":")?;
        while !self.take("}") {
            let feature = self.feature()?;
            self.expect("^")?;
            terms.push((feature, self.signed()?));
        }
        distinct(&terms)?;
        let row = self.weights.push(BIAS, terms);
        self.nodes.push(Node::Product(row));
        Ok(())
    }
}

fn distinct(terms: &[(u32, f64)]) -> Result<()> {
    let mut features: Vec<u32> = terms.iter().map(|&(f, _)| f).collect();
    features.sort_unstable();
    match features.windows(2).all(|pair| pair[0] != pair[1]) {
        true => Ok(()),
        false => Err(Error::new("a linear combination or product names a variable twice")),
    }
}
