//! Reverse sweep: exact derivatives of a gene with respect to its inner weights (the paper's backpropagation, section 3.2).
//!
//! Block by block, the forward sweep is repeated with every intermediate value kept, then adjoints run backwards.
//! What becomes of a derivative is the sink's business: summed over rows it is a gradient, kept by row a Jacobian.
use crate::dispatch;
use crate::evaluate::aligned::Aligned;
use crate::evaluate::dataset::Dataset;
use crate::evaluate::forward::{Argument, BLOCK, argument, forward};
use crate::evaluate::program::{FIXED, Operand, Program, Step};
use crate::evaluate::rows;
use crate::tree::operator::{self, Operator};
use crate::tree::weights::{BIAS, Weights};
use crate::vector_math::Level;

/// Which weights are tuned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunable {
    /// Constants.
    pub constants: bool,
    /// Weights of linear combinations and products.
    pub combinations: bool,
    /// Weights of inner nodes.
    pub inner: bool,
}

impl Tunable {
    /// All inner weights.
    pub const ALL: Self = Self {
        constants: true,
        combinations: true,
        inner: true,
    };
}

/// Receives derivatives of the gene's value, times the seed, block by block.
pub trait Sink {
    /// Derivative by the weight at `place` for rows `start..`: `adjoint`, times `factor` where there is one.
    fn add(&mut self, place: usize, start: usize, adjoint: &[f64], factor: Option<&[f64]>);
}

/// Sums derivatives over rows: the gradient.
#[derive(Debug)]
pub struct Sum<'a> {
    /// One entry per weight of the table.
    pub gradient: &'a mut [f64],
    /// The data, for its vector width.
    pub data: &'a Dataset,
}

impl Sink for Sum<'_> {
    fn add(&mut self, place: usize, _start: usize, adjoint: &[f64], factor: Option<&[f64]>) {
        let level = self.data.level();
        self.gradient[place] += match factor {
            Some(factor) => rows::dot(level, adjoint, factor),
            None => rows::sum(level, adjoint),
        };
    }
}

/// Buffers of one thread, kept between genes.
#[derive(Debug, Default)]
pub struct Tape {
    values: Aligned,
    adjoints: Aligned,
    product: Aligned,
    active: Vec<bool>,
    seen: Vec<bool>,
}

/// Runs the reverse sweep over all rows. `seed` is the derivative of the wanted quantity by the gene's value, row by row.
pub fn reverse(
    program: &Program,
    weights: &Weights,
    data: &Dataset,
    tunable: Tunable,
    seed: &[f64],
    tape: &mut Tape,
    sink: &mut impl Sink,
) {
    reverse_from(0, program, weights, data, tunable, seed, tape, sink);
}

/// The same over the rows `first..first + seed.len()`.
#[allow(clippy::too_many_arguments)]
pub fn reverse_from(
    first: usize,
    program: &Program,
    weights: &Weights,
    data: &Dataset,
    tunable: Tunable,
    seed: &[f64],
    tape: &mut Tape,
    sink: &mut impl Sink,
) {
    let steps = program.steps.len();
    if !mark_active(program, tunable, &mut tape.active) {
        return;
    }
    tape.values.reserve(steps * BLOCK);
    tape.adjoints.reserve(steps * BLOCK);
    tape.product.reserve(BLOCK);
    for (b, seed) in seed.chunks(BLOCK).enumerate() {
        let start = first + b * BLOCK;
        for i in 0..steps {
            forward_kept(i, program, weights, data, start, seed.len(), &mut tape.values);
        }
        backward(program, weights, data, tunable, start, seed, tape, sink);
    }
}

/// Results of all steps of a gene on all rows, kept while its weights are tuned: the reverse sweep then needs no forward
/// sweep of its own, and steps that no tuned weight reaches are never repeated.
#[derive(Debug, Default)]
pub struct Kept {
    blocks: Vec<Aligned>,
    filled: bool,
}

impl Kept {
    /// Forgets all results.
    pub fn clear(&mut self) {
        self.filled = false;
    }

    /// Are there results?
    pub fn is_filled(&self) -> bool {
        self.filled
    }

    /// Forward sweep with the present weights.
    pub fn advance(&mut self, program: &Program, weights: &Weights, data: &Dataset, tunable: Tunable, tape: &mut Tape) {
        let steps = program.steps.len();
        mark_active(program, tunable, &mut tape.active);
        let blocks = data.padded().div_ceil(BLOCK);
        self.blocks.resize_with(blocks.max(self.blocks.len()), Aligned::default);
        for (b, block) in self.blocks[..blocks].iter_mut().enumerate() {
            let len = BLOCK.min(data.padded() - b * BLOCK);
            block.reserve(steps * BLOCK);
            for i in (0..steps).filter(|&i| !self.filled || tape.active[i]) {
                forward_kept(i, program, weights, data, b * BLOCK, len, block);
            }
        }
        self.filled = true;
    }

    /// The gene's value for every row: the result of its last step.
    pub fn column(&self, program: &Program, data: &Dataset) -> Aligned {
        let mut column = Aligned::zeros(data.padded());
        for (out, block) in column.chunks_mut(BLOCK).zip(&self.blocks) {
            out.copy_from_slice(&block[(program.steps.len() - 1) * BLOCK..][..out.len()]);
        }
        column
    }

    /// The reverse sweep from the kept results.
    #[allow(clippy::too_many_arguments)]
    pub fn reverse(
        &mut self,
        program: &Program,
        weights: &Weights,
        data: &Dataset,
        tunable: Tunable,
        seed: &[f64],
        tape: &mut Tape,
        sink: &mut impl Sink,
    ) {
        if !mark_active(program, tunable, &mut tape.active) {
            return;
        }
        tape.adjoints.reserve(program.steps.len() * BLOCK);
        tape.product.reserve(BLOCK);
        for (b, seed) in seed.chunks(BLOCK).enumerate() {
            std::mem::swap(&mut tape.values, &mut self.blocks[b]);
            backward(program, weights, data, tunable, b * BLOCK, seed, tape, sink);
            std::mem::swap(&mut tape.values, &mut self.blocks[b]);
        }
    }
}

/// Step `i` of a gene on the `len` rows from `start`, where `values` holds the results of all steps, one block each.
fn forward_kept(i: usize, program: &Program, weights: &Weights, data: &Dataset, start: usize, len: usize, values: &mut [f64]) {
    // A step reads only results of earlier steps.
    let (before, rest) = values.split_at_mut(i * BLOCK);
    let before = &*before;
    let value = |j: usize| -> &[f64] { &before[j * BLOCK..j * BLOCK + len] };
    forward(program.steps[i], weights, data, start, &mut rest[..len], value);
}

/// Marks the steps that a tuned weight reaches; false if the gene has no tuned weight at all.
fn mark_active(program: &Program, tunable: Tunable, active: &mut Vec<bool>) -> bool {
    active.clear();
    for step in &program.steps {
        let own = match *step {
            Step::Fill(_, place) => tunable.constants && place != FIXED,
            Step::Combination(_) | Step::Product(_) => tunable.combinations,
            Step::Affine(..) => tunable.inner,
            _ => false,
        };
        let inherited = step.operands().any(|operand| match operand {
            Operand::Value(j) => active[j as usize],
            Operand::Constant(_, place) => tunable.constants && place != FIXED,
            Operand::Column(_) => false,
        });
        active.push(own || inherited);
    }
    active.last().copied().unwrap_or(false)
}

#[allow(clippy::too_many_arguments)]
fn backward(
    program: &Program,
    weights: &Weights,
    data: &Dataset,
    tunable: Tunable,
    start: usize,
    seed: &[f64],
    tape: &mut Tape,
    sink: &mut impl Sink,
) {
    let (len, level) = (seed.len(), data.level());
    let Tape {
        values,
        adjoints,
        product,
        active,
        seen,
    } = tape;
    let values = &*values;
    let value = |j: usize| -> &[f64] { &values[j * BLOCK..j * BLOCK + len] };
    seen.clear();
    seen.resize(program.steps.len(), false);
    let last = program.steps.len() - 1;
    adjoints[last * BLOCK..last * BLOCK + len].copy_from_slice(seed);
    for (i, &step) in program.steps.iter().enumerate().rev() {
        // A step nobody reads (an argument that a user's operator ignores) has no adjoint.
        if !active[i] || (i != last && !seen[i]) {
            continue;
        }
        let (before, rest) = adjoints.split_at_mut(i * BLOCK);
        let adjoint = &rest[..len];
        let read = |operand| argument(operand, data, start, len, &value);
        // What happens to the derivative by an operand: passed down to the step that made it, or collected if a tuned constant.
        let mut pass = |operand: Operand, write: &mut dyn FnMut(&mut [f64]), sink: &mut dyn FnMut(usize, &[f64])| match operand {
            Operand::Value(j) if active[j as usize] => {
                let j = j as usize;
                let target = &mut before[j * BLOCK..j * BLOCK + len];
                if seen[j] {
                    write(&mut product[..len]);
                    rows::add_scaled(level, target, 1.0, &product[..len]);
                } else {
                    seen[j] = true;
                    write(target);
                }
            }
            Operand::Constant(_, place) if tunable.constants && place != FIXED => {
                write(&mut product[..len]);
                sink(place as usize, &product[..len]);
            }
            _ => {}
        };
        let mut collect = |place: usize, adjoint: &[f64]| sink.add(place, start, adjoint, None);
        match step {
            Step::Fill(_, place) => sink.add(place as usize, start, adjoint, None),
            Step::Combination(row) => {
                for (place, &feature) in weights.range(row).zip(weights.row(row).features) {
                    let factor = (feature != BIAS).then(|| &data.column(feature as usize)[start..start + len]);
                    sink.add(place, start, adjoint, factor);
                }
            }
            Step::Product(row) => product_slopes(weights, row, data, start, value(i), adjoint, product, sink),
            Step::Unary(operator, x) => {
                let Argument::Rows(rows) = read(x) else {
                    unreachable!("constants are filled in before unary operators")
                };
                pass(
                    x,
                    &mut |out| unary_slope(level, operator, rows, value(i), adjoint, out),
                    &mut collect,
                );
            }
            Step::Binary(operator, x, y) => {
                let (a, b, v) = (read(x), read(y), value(i));
                pass(
                    x,
                    &mut |out| binary_slope::<false>(level, operator, a, b, v, adjoint, out),
                    &mut collect,
                );
                pass(
                    y,
                    &mut |out| binary_slope::<true>(level, operator, a, b, v, adjoint, out),
                    &mut collect,
                );
            }
            Step::Affine(a, b, x) => {
                let factor = weights.values()[b as usize];
                pass(
                    x,
                    &mut |out| {
                        out.copy_from_slice(adjoint);
                        rows::scale(level, out, factor);
                    },
                    &mut collect,
                );
                if tunable.inner {
                    sink.add(a as usize, start, adjoint, None);
                    if let Argument::Rows(x) = read(x) {
                        sink.add(b as usize, start, adjoint, Some(x));
                    }
                }
            }
        }
    }
}

/// d/ds = v/s and d/dw = v·ln|x| of a product leaf v = s·∏|x|^w.
#[allow(clippy::too_many_arguments)]
fn product_slopes(
    weights: &Weights,
    row: u32,
    data: &Dataset,
    start: usize,
    v: &[f64],
    adjoint: &[f64],
    scratch: &mut [f64],
    sink: &mut impl Sink,
) {
    let len = adjoint.len();
    let logs = &mut vec![0.0; len];
    for (place, (feature, weight)) in weights.range(row).zip(weights.row(row).iter()) {
        let product = &mut scratch[..len];
        for k in 0..len {
            product[k] = adjoint[k] * v[k];
        }
        if feature == BIAS {
            rows::scale(data.level(), product, 1.0 / weight);
            sink.add(place, start, product, None);
        } else {
            let column = &data.log_column(feature as usize)[start..start + len];
            for (log, (known, v)) in logs.iter_mut().zip(column.iter().zip(v)) {
                // |x|^w·ln|x| goes to 0 with x wherever the value does.
                *log = if *v == 0.0 { 0.0 } else { *known };
            }
            sink.add(place, start, product, Some(logs));
        }
    }
}

/// adjoint·∂operator/∂a, or ∂operator/∂b when `SECOND`, to `out`, row by row.
#[allow(clippy::too_many_arguments)]
fn binary_slope<const SECOND: bool>(
    level: Level,
    operator: Operator,
    a: Argument,
    b: Argument,
    v: &[f64],
    adjoint: &[f64],
    out: &mut [f64],
) {
    match (a, b, SECOND) {
        (Argument::Rows(a), Argument::Rows(b), false) => first_rows_rows(level, operator, a, b, v, adjoint, out),
        (Argument::Rows(a), Argument::Same(b), false) => first_rows_same(level, operator, a, b, v, adjoint, out),
        (Argument::Same(a), Argument::Rows(b), false) => first_same_rows(level, operator, a, b, v, adjoint, out),
        (Argument::Rows(a), Argument::Rows(b), true) => second_rows_rows(level, operator, a, b, v, adjoint, out),
        (Argument::Rows(a), Argument::Same(b), true) => second_rows_same(level, operator, a, b, v, adjoint, out),
        (Argument::Same(a), Argument::Rows(b), true) => second_same_rows(level, operator, a, b, v, adjoint, out),
        (Argument::Same(_), Argument::Same(_), _) => unreachable!("one of two constants is filled in"),
    }
}

dispatch! {
    fn unary_slope(operator: Operator, x: &[f64], v: &[f64], adjoint: &[f64], out: &mut [f64]) = operator::unary_slope;
    fn first_rows_rows(operator: Operator, a: &[f64], b: &[f64], v: &[f64], adjoint: &[f64], out: &mut [f64]) = operator::binary_slope, false, _, _;
    fn first_rows_same(operator: Operator, a: &[f64], b: f64, v: &[f64], adjoint: &[f64], out: &mut [f64]) = operator::binary_slope, false, _, _;
    fn first_same_rows(operator: Operator, a: f64, b: &[f64], v: &[f64], adjoint: &[f64], out: &mut [f64]) = operator::binary_slope, false, _, _;
    fn second_rows_rows(operator: Operator, a: &[f64], b: &[f64], v: &[f64], adjoint: &[f64], out: &mut [f64]) = operator::binary_slope, true, _, _;
    fn second_rows_same(operator: Operator, a: &[f64], b: f64, v: &[f64], adjoint: &[f64], out: &mut [f64]) = operator::binary_slope, true, _, _;
    fn second_same_rows(operator: Operator, a: f64, b: &[f64], v: &[f64], adjoint: &[f64], out: &mut [f64]) = operator::binary_slope, true, _, _;
}
