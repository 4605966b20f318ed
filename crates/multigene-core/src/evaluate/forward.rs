//! Forward sweep: a gene over blocks of rows that stay in the first-level cache.
use crate::dispatch;
use crate::error::{Error, Result};
use crate::evaluate::aligned::Aligned;
use crate::evaluate::dataset::Dataset;
use crate::evaluate::loops::{LANES, whole, whole_mut};
use crate::evaluate::program::{Operand, Program, Step};
use crate::tree::operator::{Operator, binary as binary_kernel, unary as unary_kernel};
use crate::tree::weights::{BIAS, Weights};
use crate::vector_math as math;
use crate::vector_math::Level;

/// Rows per block: a buffer is 4 kB, so the few that are live at a time stay in a first-level cache of 32 kB.
pub const BLOCK: usize = 512;

/// Buffers of one thread, kept between genes.
#[derive(Debug, Default)]
pub struct Scratch {
    /// One block per live value.
    pub buffers: Aligned,
}

impl Scratch {
    fn reserve(&mut self, slots: usize) {
        self.buffers.reserve(slots * BLOCK);
    }
}

/// An argument of a step over the rows of one block.
#[derive(Clone, Copy)]
pub enum Argument<'a> {
    /// Row by row.
    Rows(&'a [f64]),
    /// The same in every row.
    Same(f64),
}

/// Writes the gene's value for every (padded) row to `out`.
pub fn evaluate(program: &Program, weights: &Weights, data: &Dataset, scratch: &mut Scratch, out: &mut [f64]) {
    scratch.reserve(program.n_slots);
    let last = program.steps.len() - 1;
    let base = scratch.buffers.as_mut_ptr();
    for (b, out) in out.chunks_mut(BLOCK).enumerate() {
        let (start, len) = (b * BLOCK, out.len());
        for (i, step) in program.steps.iter().enumerate() {
            let slot = |j: usize| program.slots[j] as usize * BLOCK;
            // SAFETY: slots lie within the buffers reserved above, and `Program::assign_slots` never gives a step
            // the slot of one of its operands, so `target` aliases none of the slices read.
            let target = if i == last {
                &mut *out
            } else {
                unsafe { std::slice::from_raw_parts_mut(base.add(slot(i)), len) }
            };
            let value = |j: usize| unsafe { std::slice::from_raw_parts(base.add(slot(j)).cast_const(), len) };
            forward(*step, weights, data, start, target, value);
        }
    }
}

/// Runs one step on rows `start..start + out.len()`; `value(j)` holds the result of step j for these rows.
#[inline(always)]
pub fn forward<'a>(
    step: Step,
    weights: &Weights,
    data: &'a Dataset,
    start: usize,
    out: &mut [f64],
    value: impl Fn(usize) -> &'a [f64],
) {
    let level = data.level();
    let read = |operand| argument(operand, data, start, out.len(), &value);
    match step {
        Step::Fill(number, _) => out.fill(number),
        Step::Combination(row) => combination(level, weights, row, data, start, out),
        Step::Product(row) => product(level, weights, row, data, start, out),
        Step::Unary(operator, x) => match read(x) {
            Argument::Rows(x) => unary(level, operator, x, out),
            Argument::Same(_) => unreachable!("constants are filled in before unary operators"),
        },
        Step::Binary(operator, x, y) => match (read(x), read(y)) {
            (Argument::Rows(x), Argument::Rows(y)) => binary_rows_rows(level, operator, x, y, out),
            (Argument::Rows(x), Argument::Same(y)) => binary_rows_same(level, operator, x, y, out),
            (Argument::Same(x), Argument::Rows(y)) => binary_same_rows(level, operator, x, y, out),
            (Argument::Same(_), Argument::Same(_)) => unreachable!("one of two constants is filled in"),
        },
        Step::Affine(a, b, x) => {
            let (a, b) = (weights.values()[a as usize], weights.values()[b as usize]);
            match read(x) {
                Argument::Rows(x) => affine(level, a, b, x, out),
                Argument::Same(x) => out.fill(a + b * x),
            }
        }
    }
}

/// The rows of an operand.
#[inline(always)]
pub fn argument<'a>(
    operand: Operand,
    data: &'a Dataset,
    start: usize,
    len: usize,
    value: &impl Fn(usize) -> &'a [f64],
) -> Argument<'a> {
    match operand {
        Operand::Column(j) => Argument::Rows(&data.column(j as usize)[start..start + len]),
        Operand::Constant(number, _) => Argument::Same(number),
        Operand::Value(j) => Argument::Rows(value(j as usize)),
    }
}

dispatch! {
    /// out ← operator(x).
    pub fn unary(operator: Operator, x: &[f64], out: &mut [f64]) = unary_kernel;
    /// out ← operator(x, y).
    pub fn binary_rows_rows(operator: Operator, x: &[f64], y: &[f64], out: &mut [f64]) = binary_kernel, _, _;
    /// out ← operator(x, y) with the same y in every row.
    pub fn binary_rows_same(operator: Operator, x: &[f64], y: f64, out: &mut [f64]) = binary_kernel, _, _;
    /// out ← operator(x, y) with the same x in every row.
    pub fn binary_same_rows(operator: Operator, x: f64, y: &[f64], out: &mut [f64]) = binary_kernel, _, _;
}

#[inline(always)]
fn affine_kernel<const FMA: bool>(a: f64, b: f64, x: &[f64], out: &mut [f64]) {
    for (o, &x) in whole_mut(out).iter_mut().zip(whole(x)) {
        *o = a + b * x;
    }
}

dispatch! {
    fn affine(a: f64, b: f64, x: &[f64], out: &mut [f64]) = affine_kernel;
}

/// a + b·x over the rows of a block, four terms per pass over the output.
#[inline(always)]
fn combination_kernel<const FMA: bool>(weights: &Weights, row: u32, data: &Dataset, start: usize, out: &mut [f64]) {
    let row = weights.row(row);
    let out = whole_mut(out);
    let end = start + out.len();
    out.fill(row.bias());
    let mut terms = row
        .slopes()
        .map(|(feature, weight)| (weight, &data.column(feature as usize)[start..end]));
    loop {
        match [terms.next(), terms.next(), terms.next(), terms.next()] {
            [Some(a), Some(b), Some(c), Some(d)] => add_terms::<FMA, 4>([a, b, c, d], out),
            [Some(a), Some(b), Some(c), None] => return add_terms::<FMA, 3>([a, b, c], out),
            [Some(a), Some(b), ..] => return add_terms::<FMA, 2>([a, b], out),
            [Some(a), ..] => return add_terms::<FMA, 1>([a], out),
            _ => return,
        }
    }
}

/// out ← out + Σ weight·x, the terms one after the other.
#[inline(always)]
fn add_terms<const FMA: bool, const N: usize>(terms: [(f64, &[f64]); N], out: &mut [f64]) {
    let terms = terms.map(|(weight, x)| (weight, &x[..out.len()]));
    for (i, o) in out.iter_mut().enumerate() {
        let mut sum = *o;
        for (weight, x) in terms {
            sum = if FMA { weight.mul_add(x[i], sum) } else { weight * x[i] + sum };
        }
        *o = sum;
    }
}

dispatch! {
    fn combination(weights: &Weights, row: u32, data: &Dataset, start: usize, out: &mut [f64]) = combination_kernel;
}

/// s·∏|x|^w over the rows of a block.
#[inline(always)]
fn product_kernel<const FMA: bool>(weights: &Weights, row: u32, data: &Dataset, start: usize, out: &mut [f64]) {
    let row = weights.row(row);
    let factor = row.weight_of(BIAS).unwrap_or(1.0);
    let out = whole_mut(out);
    out.fill(0.0);
    for (feature, weight) in row.slopes() {
        for (o, log) in out.iter_mut().zip(&data.log_column(feature as usize)[start..]) {
            *o += weight * log;
        }
    }
    for o in out {
        *o = factor * math::exp::<FMA>(*o);
    }
}

dispatch! {
    fn product(weights: &Weights, row: u32, data: &Dataset, start: usize, out: &mut [f64]) = product_kernel;
}

/// One operator on whole arrays of any length.
pub fn apply(name: &str, x: &[f64], y: Option<&[f64]>) -> Result<Vec<f64>> {
    let operator = Operator::parse(name).ok_or_else(|| Error::new(format!("There is no operator {name:?}.")))?;
    let pad = |v: &[f64]| {
        let mut v = v.to_vec();
        v.resize(v.len().div_ceil(LANES) * LANES, 0.0);
        v
    };
    if operator.arity() != 1 + usize::from(y.is_some()) {
        let (name, arity) = (operator.name(), operator.arity());
        return Err(Error::new(format!(
            "The operator {name} takes {arity} argument(s); give as many arrays."
        )));
    }
    let (padded, mut out) = (pad(x), pad(x));
    match y {
        Some(y) if y.len() != x.len() => {
            return Err(Error::new(format!(
                "The arguments have {} and {} rows; give equally many.",
                x.len(),
                y.len()
            )));
        }
        Some(y) => binary_rows_rows(Level::detect(), operator, &padded, &pad(y), &mut out),
        None => unary(Level::detect(), operator, &padded, &mut out),
    }
    out.truncate(x.len());
    Ok(out)
}
