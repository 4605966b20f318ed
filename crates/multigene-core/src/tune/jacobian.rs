//! Derivatives of a model by its inner weights, row by row, and the normal equations of one step of second-order tuning.
//!
//! Variable projection (Golub and Pereyra 1973) in Kaufman's approximation (1975): the outer coefficients follow the inner
//! weights by least squares, so only the part D of the derivatives outside the span of the genes' columns and the intercept
//! counts. With Q an orthonormal basis of that span it is never formed: DᵀP⊥D = DᵀD − (DᵀQ)(QᵀD), and the residual is
//! orthogonal to Q already. Rows are taken in windows, so the memory does not grow with the data.
use std::sync::atomic::{AtomicBool, Ordering};

use super::linear_algebra::{TILE, add_product, products, project, set_product};
use super::parameters::{NOT_TUNED, Parameters};
use crate::evaluate::dataset::Dataset;
use crate::evaluate::forward::BLOCK;
use crate::evaluate::gradient::{Sink, Tape, Tunable};
use crate::evaluate::least_squares::{Factor, PIVOT};
use crate::evaluate::outer_fit::{Context, Workspace};
use crate::evaluate::program::Program;
use crate::evaluate::rows;
use crate::tree::individual::Individual;
use crate::vector_math::Level;

/// Derivatives held at once: 256 kB, a share of the second-level cache.
const WINDOW_VALUES: usize = 1 << 15;
/// Longest window: tiles of longer columns would not stay in the first-level cache.
const WINDOW_ROWS: usize = 4 * BLOCK;
/// A column of derivatives with this share of its square in its mean is centred before its square is taken.
const MOSTLY_MEAN: f64 = 0.99;
/// Matrices have rows of whole vectors.
const PADDING: usize = 8;

/// Derivatives by every parameter on a window of rows.
#[derive(Debug, Default)]
struct Window {
    /// One column per parameter, `stride` apart, and zeros up to a whole tile.
    values: Vec<f64>,
    /// Rows of each column written so far.
    filled: Vec<usize>,
    stride: usize,
    seed: Vec<f64>,
}

struct WindowSink<'a> {
    window: &'a mut Window,
    parameter: &'a [u32],
    first: usize,
    level: Level,
}

impl Sink for WindowSink<'_> {
    fn add(&mut self, place: usize, start: usize, adjoint: &[f64], factor: Option<&[f64]>) {
        let column = self.parameter[place];
        if column == NOT_TUNED {
            return;
        }
        let (column, offset) = (column as usize, start - self.first);
        let fresh = self.window.filled[column] <= offset;
        self.window.filled[column] = self.window.filled[column].max(offset + adjoint.len());
        let begin = column * self.window.stride + offset;
        let out = &mut self.window.values[begin..begin + adjoint.len()];
        match (factor, fresh) {
            (None, true) => out.copy_from_slice(adjoint),
            (None, false) => rows::add_scaled(self.level, out, 1.0, adjoint),
            (Some(factor), true) => set_product(self.level, out, adjoint, factor),
            (Some(factor), false) => add_product(self.level, out, adjoint, factor),
        }
    }
}

impl Window {
    fn prepare(&mut self, parameters: usize, padded: usize) {
        let columns = parameters.next_multiple_of(TILE);
        self.stride = (WINDOW_VALUES / columns / BLOCK * BLOCK)
            .clamp(BLOCK, WINDOW_ROWS)
            .min(padded);
        self.filled.resize(columns, 0);
        if self.values.len() < columns * self.stride {
            self.values.resize(columns * self.stride, 0.0);
        }
    }

    /// Column of parameter `i` as far as it goes.
    fn column(&self, i: usize, len: usize) -> &[f64] {
        &self.values[i * self.stride..i * self.stride + len]
    }

    /// Derivatives of Σ factor·coefficient·gene, times `base` row by row, on the rows `first..first + base.len()`.
    fn sweep(&mut self, point: Point, programs: &[Program], first: usize, base: &[f64], factor: f64, tape: &mut Tape) {
        let Point {
            individual,
            parameters,
            context,
            tunable,
        } = point;
        let level = context.data.level();
        self.filled.fill(0);
        for (&gene, program) in parameters.genes.iter().zip(programs) {
            let mut seed = std::mem::take(&mut self.seed);
            seed.clear();
            seed.extend_from_slice(base);
            rows::scale(level, &mut seed, individual.coefficients[gene] * factor);
            let mut sink = WindowSink {
                window: self,
                parameter: &parameters.parameter,
                first,
                level,
            };
            let sweep = context.sweep(program, &individual.weights, tunable);
            sweep.reverse(first, &seed, tape, &mut sink);
            self.seed = seed;
        }
        for (column, &filled) in self.filled.iter().enumerate() {
            let begin = column * self.stride;
            self.values[begin + filled.min(base.len())..begin + base.len()].fill(0.0);
        }
    }
}

/// Where derivatives are taken.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    /// The model at its present weights, evaluated.
    pub individual: &'a Individual,
    /// The weights by which derivatives are taken.
    pub parameters: &'a Parameters,
    /// The rows.
    pub context: Context<'a>,
    /// Kinds of weights that are tuned.
    pub tunable: Tunable,
}

impl Point<'_> {
    fn programs(&self) -> Vec<Program> {
        let Self { individual, context, .. } = *self;
        let compiled = |&gene: &usize| Program::compile(&individual.genes[gene].nodes, &individual.weights, context.library);
        self.parameters.genes.iter().map(compiled).collect()
    }
}

/// Derivatives of the prediction by each parameter, one column each, with the outer coefficients held fixed.
pub fn jacobian(point: Point, tape: &mut Tape) -> Vec<Vec<f64>> {
    let (data, size) = (point.context.data, point.parameters.len());
    let mut window = Window::default();
    window.prepare(size, data.padded());
    let programs = point.programs();
    let base = vec![1.0; data.padded()];
    let mut columns = vec![Vec::with_capacity(data.padded()); size];
    for (w, base) in base.chunks(window.stride).enumerate() {
        window.sweep(point, &programs, w * window.stride, base, 1.0, tape);
        for (i, column) in columns.iter_mut().enumerate() {
            column.extend_from_slice(window.column(i, base.len()));
        }
    }
    columns.iter_mut().for_each(|column| column.truncate(data.rows()));
    columns
}

/// Curvature and descent direction of half the squared error (standardised target), outer coefficients projected out.
#[derive(Debug, Default)]
pub struct Equations {
    /// Upper triangle of DᵀP⊥D, rows `stride` apart.
    pub curvature: Vec<f64>,
    /// Distance of the rows of `curvature`.
    pub stride: usize,
    /// Dᵀ·residual: the direction of descent.
    pub descent: Vec<f64>,
    /// Parameters that move nothing but what the outer coefficients already move, or whose derivative is not finite.
    pub idle: Vec<bool>,
    window: Window,
    /// The intercept's column: root weights, of unit length.
    unit: Vec<f64>,
    /// Multiple of the intercept's column taken off each column of D, against cancellation.
    shifts: Vec<f64>,
    /// DᵀΦ, Dᵀ·unit, Dᵀ·residual: one row per parameter.
    cross: Vec<f64>,
    cross_stride: usize,
    /// QᵀD.
    shares: Vec<f64>,
}

impl Equations {
    /// Prepares for these rows; once per individual.
    pub fn prepare(&mut self, parameters: &Parameters, context: Context) {
        let (data, n) = (context.data, context.data.rows());
        self.window.prepare(parameters.len(), data.padded());
        self.unit.clear();
        match data.root_weights() {
            Some(root) => self.unit.extend_from_slice(root),
            None => self.unit.resize(n, 1.0),
        }
        self.unit.resize(data.padded(), 0.0);
        rows::scale(data.level(), &mut self.unit, 1.0 / (n as f64).sqrt());
        self.stride = parameters.len().next_multiple_of(PADDING);
    }

    /// Computes everything at the present weights. The individual must just have been evaluated, with this workspace. False if it
    /// was told to stop.
    pub fn assemble(&mut self, point: Point, workspace: &mut Workspace, stop: &AtomicBool) -> bool {
        workspace.with_rows(point.context, |context, working, workspace| {
            // Another loss than squared error has other weights at every point.
            let seen = working.map(|working| {
                self.prepare(point.parameters, context);
                working.seen(point.individual)
            });
            let point = Point {
                individual: seen.as_ref().unwrap_or(point.individual),
                context,
                ..point
            };
            self.assemble_on(point, &workspace.residual, &mut workspace.tape, stop)
        })
    }

    fn assemble_on(&mut self, point: Point, residual: &[f64], tape: &mut Tape, stop: &AtomicBool) -> bool {
        let Point {
            individual,
            parameters,
            context,
            ..
        } = point;
        let data = context.data;
        let size = parameters.len();
        let projected = if context.fit_genes {
            individual.genes.len() + data.fixed().len() + 1
        } else {
            0
        };
        self.cross_stride = (projected + 1).next_multiple_of(TILE);
        reset(&mut self.curvature, size.next_multiple_of(TILE) * self.stride);
        reset(&mut self.cross, size.next_multiple_of(TILE) * self.cross_stride);
        reset(&mut self.shifts, size);
        let scale = if data.target().norm > 0.0 { data.target().norm } else { 1.0 };
        let factor = (data.rows() as f64).sqrt() / scale;
        let programs = point.programs();
        let rows = self.window.stride;
        for first in (0..data.padded()).step_by(rows) {
            if stop.load(Ordering::Relaxed) {
                return false;
            }
            let end = (first + rows).min(data.padded());
            let unit = &self.unit[first..end];
            self.window.sweep(point, &programs, first, unit, factor, tape);
            if context.fit_genes {
                self.shift(first, end, size, data.level());
            }
            self.accumulate(individual, data, first, end, projected, residual);
        }
        self.project_out(individual, size, projected, data.level());
        true
    }

    /// The intercept absorbs any multiple of its column, so taking off the mean changes nothing but the rounding. Done where
    /// the first rows say that the mean is far above the spread, that is, where differences of squares would cancel.
    fn shift(&mut self, first: usize, end: usize, size: usize, level: Level) {
        let unit = &self.unit[first..end];
        let head = unit.len().min(BLOCK);
        let square = rows::dot(level, &unit[..head], &unit[..head]);
        for i in 0..size {
            let begin = i * self.window.stride;
            let column = &mut self.window.values[begin..begin + unit.len()];
            if first == 0 {
                let along = rows::dot(level, &column[..head], &unit[..head]);
                let whole = rows::dot(level, &column[..head], &column[..head]);
                self.shifts[i] = if along * along > MOSTLY_MEAN * square * whole {
                    along / square
                } else {
                    0.0
                };
            }
            if self.shifts[i] != 0.0 {
                rows::add_scaled(level, column, -self.shifts[i], unit);
            }
        }
    }

    /// Adds the inner products of the window's rows.
    fn accumulate(
        &mut self,
        individual: &Individual,
        data: &Dataset,
        first: usize,
        end: usize,
        projected: usize,
        residual: &[f64],
    ) {
        let (window, len, level) = (&self.window, end - first, data.level());
        let genes = individual.genes.len();
        let groups = window.filled.len() / TILE;
        let tile = |group: usize| std::array::from_fn(|i| window.column(TILE * group + i, len));
        let others = |group: usize| -> [&[f64]; TILE] {
            std::array::from_fn(|j| match TILE * group + j {
                x if x + 1 < projected && x >= genes => &data.fixed()[x - genes][first..end],
                x if x + 1 < projected => {
                    let column = individual.genes[x].column.as_ref().expect("the individual was evaluated");
                    &column.values[first..end]
                }
                x if x + 1 == projected => &self.unit[first..end],
                _ => &residual[first..end],
            })
        };
        for a in 0..groups {
            let columns = tile(a);
            for b in a..groups {
                add(&mut self.curvature, self.stride, a, b, products(level, columns, tile(b)));
            }
            for b in 0..self.cross_stride / TILE {
                add(&mut self.cross, self.cross_stride, a, b, products(level, columns, others(b)));
            }
        }
    }

    /// From D to P⊥D.
    fn project_out(&mut self, individual: &Individual, size: usize, projected: usize, level: Level) {
        self.descent.clear();
        self.descent.extend(
            self.cross
                .chunks_exact(self.cross_stride)
                .take(size)
                .map(|row| row[projected]),
        );
        let before: Vec<f64> = (0..size).map(|i| self.curvature[i * self.stride + i]).collect();
        let mut raw = before.clone();
        if projected > 0 {
            let factor = Factor::new(&individual.gram, PIVOT);
            reset(&mut self.shares, projected * self.stride);
            for (i, cross) in self.cross.chunks_exact_mut(self.cross_stride).take(size).enumerate() {
                let (with_unit, shift) = (cross[projected - 1], self.shifts[i]);
                raw[i] += shift * (2.0 * with_unit + shift);
                // The columns that every model has are orthonormal, and orthogonal to the genes' already.
                factor.forward(&mut cross[..individual.genes.len()]);
                for (q, share) in cross[..projected].iter().enumerate() {
                    self.shares[q * self.stride + i] = *share;
                }
            }
            project(level, &mut self.curvature, self.stride, size, &self.shares);
        }
        self.idle.clear();
        self.idle.extend((0..size).map(|i| {
            let (square, descent) = (self.curvature[i * self.stride + i], self.descent[i]);
            let noise = 1e-12 * before[i] + 1e-24 * raw[i];
            !(square > noise && square > f64::MIN_POSITIVE && square.is_finite() && descent.is_finite())
        }));
    }
}

fn reset(values: &mut Vec<f64>, len: usize) {
    values.clear();
    values.resize(len, 0.0);
}

fn add(matrix: &mut [f64], stride: usize, a: usize, b: usize, tile: [[f64; TILE]; TILE]) {
    for (i, sums) in tile.iter().enumerate() {
        let begin = (TILE * a + i) * stride + TILE * b;
        for (entry, sum) in matrix[begin..begin + TILE].iter_mut().zip(sums) {
            *entry += sum;
        }
    }
}
