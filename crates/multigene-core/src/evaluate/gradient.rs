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

impl Tape {
    /// Makes room for the adjoints of this many steps.
    fn reserve(&mut self, steps: usize) {
        self.adjoints.reserve(steps * BLOCK);
        self.product.reserve(BLOCK);
    }
}

/// A gene on rows, and which of its weights are tuned: what the reverse sweep runs on.
#[derive(Clone, Copy, Debug)]
pub struct Sweep<'a> {
    /// The gene.
    pub program: &'a Program,
    /// The table of weights it uses.
    pub weights: &'a Weights,
    /// The rows.
    pub data: &'a Dataset,
    /// The weights by which derivatives are taken.
    pub tunable: Tunable,
}

impl Sweep<'_> {
    /// Runs the reverse sweep over the rows `first..first + seed.len()`. `seed` is the derivative of the wanted quantity by the
    /// gene's value, row by row.
    pub fn reverse(self, first: usize, seed: &[f64], tape: &mut Tape, sink: &mut impl Sink) {
        let steps = self.program.steps.len();
        if !self.mark_active(&mut tape.active) {
            return;
        }
        tape.reserve(steps);
        tape.values.reserve(steps * BLOCK);
        for (b, seed) in seed.chunks(BLOCK).enumerate() {
            let start = first + b * BLOCK;
            for i in 0..steps {
                self.forward(i, start, seed.len(), &mut tape.values);
            }
            self.backward(start, seed, tape, sink);
        }
    }

    /// Step `i` on the `len` rows from `start`, where `values` holds the results of all steps, one block each.
    fn forward(self, i: usize, start: usize, len: usize, values: &mut [f64]) {
        // A step reads only results of earlier steps.
        let (before, rest) = values.split_at_mut(i * BLOCK);
        let before = &*before;
        let value = |j: usize| -> &[f64] { &before[j * BLOCK..j * BLOCK + len] };
        forward(self.program.steps[i], self.weights, self.data, start, &mut rest[..len], value);
    }

    /// Marks the steps that a tuned weight reaches; false if the gene has no tuned weight at all.
    fn mark_active(self, active: &mut Vec<bool>) -> bool {
        let tunable = self.tunable;
        active.clear();
        for step in &self.program.steps {
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

    /// Adjoints from the last step back to the first, on one block whose values the tape holds.
    fn backward(self, start: usize, seed: &[f64], tape: &mut Tape, sink: &mut impl Sink) {
        let (len, last) = (seed.len(), self.program.steps.len() - 1);
        let Tape {
            values,
            adjoints,
            product,
            active,
            seen,
        } = tape;
        seen.clear();
        seen.resize(self.program.steps.len(), false);
        adjoints[last * BLOCK..last * BLOCK + len].copy_from_slice(seed);
        for (i, &step) in self.program.steps.iter().enumerate().rev() {
            // A step nobody reads (an argument that a user's operator ignores) has no adjoint.
            if !active[i] || (i != last && !seen[i]) {
                continue;
            }
            let (below, rest) = adjoints.split_at_mut(i * BLOCK);
            let mut here = Backstep {
                sweep: self,
                start,
                values,
                value: &values[i * BLOCK..i * BLOCK + len],
                adjoint: &rest[..len],
                below,
                spare: &mut product[..len],
                active,
                seen,
            };
            here.run(step, sink);
        }
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
    pub fn advance(&mut self, sweep: Sweep, tape: &mut Tape) {
        let (steps, padded) = (sweep.program.steps.len(), sweep.data.padded());
        sweep.mark_active(&mut tape.active);
        let blocks = padded.div_ceil(BLOCK);
        self.blocks.resize_with(blocks.max(self.blocks.len()), Aligned::default);
        for (b, block) in self.blocks[..blocks].iter_mut().enumerate() {
            let len = BLOCK.min(padded - b * BLOCK);
            block.reserve(steps * BLOCK);
            for i in (0..steps).filter(|&i| !self.filled || tape.active[i]) {
                sweep.forward(i, b * BLOCK, len, block);
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

    /// The reverse sweep over all rows, from the kept results.
    pub fn reverse(&mut self, sweep: Sweep, seed: &[f64], tape: &mut Tape, sink: &mut impl Sink) {
        if !sweep.mark_active(&mut tape.active) {
            return;
        }
        tape.reserve(sweep.program.steps.len());
        for (b, seed) in seed.chunks(BLOCK).enumerate() {
            std::mem::swap(&mut tape.values, &mut self.blocks[b]);
            sweep.backward(b * BLOCK, seed, tape, sink);
            std::mem::swap(&mut tape.values, &mut self.blocks[b]);
        }
    }
}

/// One step of the way back: from the adjoint of its result to the adjoints of its operands and the derivatives by its weights.
struct Backstep<'a> {
    sweep: Sweep<'a>,
    /// First row of the block.
    start: usize,
    /// Results of all steps, one block each.
    values: &'a [f64],
    /// The step's own result.
    value: &'a [f64],
    /// Derivative of the wanted quantity by that result.
    adjoint: &'a [f64],
    /// Adjoints of all steps before it, one block each.
    below: &'a mut [f64],
    spare: &'a mut [f64],
    active: &'a [bool],
    /// Steps that have an adjoint already: what another reader passes down is added.
    seen: &'a mut [bool],
}

impl<'a> Backstep<'a> {
    fn run(&mut self, step: Step, sink: &mut impl Sink) {
        let (level, value, adjoint) = (self.sweep.data.level(), self.value, self.adjoint);
        match step {
            Step::Fill(_, place) => sink.add(place as usize, self.start, adjoint, None),
            Step::Combination(row) => self.combination(row, sink),
            Step::Product(row) => self.product(row, sink),
            Step::Unary(operator, x) => {
                let Argument::Rows(rows) = self.read(x) else {
                    unreachable!("constants are filled in before unary operators")
                };
                self.pass(x, |out| unary_slope(level, operator, rows, value, adjoint, out), sink);
            }
            Step::Binary(operator, x, y) => {
                let arguments = (self.read(x), self.read(y));
                self.pass(x, |out| slope_by_first(level, operator, arguments, value, adjoint, out), sink);
                self.pass(
                    y,
                    |out| slope_by_second(level, operator, arguments, value, adjoint, out),
                    sink,
                );
            }
            Step::Affine(a, b, x) => self.affine(a as usize, b as usize, x, sink),
        }
    }

    /// The rows of an operand on this block.
    fn read(&self, operand: Operand) -> Argument<'a> {
        let (values, len) = (self.values, self.adjoint.len());
        let value = |j: usize| -> &'a [f64] { &values[j * BLOCK..j * BLOCK + len] };
        argument(operand, self.sweep.data, self.start, len, &value)
    }

    /// What becomes of the derivative by an operand, which `write` writes: it is passed down to the step that made the operand,
    /// or goes to the sink if that is a tuned constant.
    fn pass(&mut self, operand: Operand, write: impl FnOnce(&mut [f64]), sink: &mut impl Sink) {
        match operand {
            Operand::Value(j) if self.active[j as usize] => {
                let j = j as usize;
                let target = &mut self.below[j * BLOCK..j * BLOCK + self.adjoint.len()];
                if self.seen[j] {
                    write(self.spare);
                    rows::add_scaled(self.sweep.data.level(), target, 1.0, self.spare);
                } else {
                    self.seen[j] = true;
                    write(target);
                }
            }
            Operand::Constant(_, place) if self.sweep.tunable.constants && place != FIXED => {
                write(self.spare);
                sink.add(place as usize, self.start, self.spare, None);
            }
            _ => {}
        }
    }

    /// d/da = 1 and d/db = x of an LCF a + b·x.
    fn combination(&mut self, row: u32, sink: &mut impl Sink) {
        let Sweep { weights, data, .. } = self.sweep;
        let block = self.start..self.start + self.adjoint.len();
        for (place, &feature) in weights.range(row).zip(weights.row(row).features) {
            let factor = (feature != BIAS).then(|| &data.column(feature as usize)[block.clone()]);
            sink.add(place, self.start, self.adjoint, factor);
        }
    }

    /// d/ds = v/s and d/dw = v·ln|x| of a product leaf v = s·∏|x|^w.
    fn product(&mut self, row: u32, sink: &mut impl Sink) {
        let Sweep { weights, data, .. } = self.sweep;
        let block = self.start..self.start + self.adjoint.len();
        let logs = &mut vec![0.0; self.adjoint.len()];
        for (place, (feature, weight)) in weights.range(row).zip(weights.row(row).iter()) {
            for (product, (adjoint, v)) in self.spare.iter_mut().zip(self.adjoint.iter().zip(self.value)) {
                *product = adjoint * v;
            }
            if feature == BIAS {
                rows::scale(data.level(), self.spare, 1.0 / weight);
                sink.add(place, self.start, self.spare, None);
            } else {
                let column = &data.log_column(feature as usize)[block.clone()];
                for (log, (known, v)) in logs.iter_mut().zip(column.iter().zip(self.value)) {
                    // |x|^w·ln|x| goes to 0 with x wherever the value does.
                    *log = if *v == 0.0 { 0.0 } else { *known };
                }
                sink.add(place, self.start, self.spare, Some(logs));
            }
        }
    }

    /// d/da = 1, d/db = x and d/dx = b of a + b·x, the weights of an inner node.
    fn affine(&mut self, a: usize, b: usize, x: Operand, sink: &mut impl Sink) {
        let (level, adjoint) = (self.sweep.data.level(), self.adjoint);
        let factor = self.sweep.weights.values()[b];
        let write = |out: &mut [f64]| {
            out.copy_from_slice(adjoint);
            rows::scale(level, out, factor);
        };
        self.pass(x, write, sink);
        if self.sweep.tunable.inner {
            sink.add(a, self.start, adjoint, None);
            if let Argument::Rows(x) = self.read(x) {
                sink.add(b, self.start, adjoint, Some(x));
            }
        }
    }
}

/// adjoint·∂operator/∂a and adjoint·∂operator/∂b to `out`, row by row: one kernel each for rows and single values.
macro_rules! binary_slopes {
    ($($name:ident = $rows_rows:ident, $rows_same:ident, $same_rows:ident;)*) => {$(
        fn $name(level: Level, operator: Operator, arguments: (Argument, Argument), v: &[f64], adjoint: &[f64], out: &mut [f64]) {
            match arguments {
                (Argument::Rows(a), Argument::Rows(b)) => $rows_rows(level, operator, a, b, v, adjoint, out),
                (Argument::Rows(a), Argument::Same(b)) => $rows_same(level, operator, a, b, v, adjoint, out),
                (Argument::Same(a), Argument::Rows(b)) => $same_rows(level, operator, a, b, v, adjoint, out),
                (Argument::Same(_), Argument::Same(_)) => unreachable!("one of two constants is filled in"),
            }
        }
    )*};
}

binary_slopes! {
    slope_by_first = first_rows_rows, first_rows_same, first_same_rows;
    slope_by_second = second_rows_rows, second_rows_same, second_same_rows;
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
