//! Sets of columns whose sum comes closest to a target: the inner loop of the catalogue that law seekers look through.
//!
//! Single columns, all pairs, then larger sets grown from the best ones. Inner products alone decide which sets are worth a
//! look; what these leave of the target is computed from the columns themselves, without the rounding of inner products.
use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::error::{Error, Result};
use crate::tune::linear_algebra::{TILE, products};
use crate::vector_math::Level;

/// The part of a column outside a set must be at least this, squared: rounding would decide about less.
const APART: f64 = 1e-6;
/// Rows are padded to a multiple of this.
const LANES: usize = 8;

/// Some columns, and what they leave of the target.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnSet {
    /// Squared length of what is left of a target of length one.
    pub left: f64,
    /// Sum of the columns' costs.
    pub cost: f64,
    /// Numbers of the columns, in the order in which they were added.
    pub members: Vec<usize>,
}

/// How far to look.
#[derive(Clone, Copy, Debug)]
pub struct Beam {
    /// Sets that are carried on to the next size.
    pub width: usize,
    /// Most columns in a set.
    pub largest: usize,
    /// Nothing is added to sets that leave less than this.
    pub exact: f64,
}

impl From<(usize, usize, f64)> for Beam {
    fn from((width, largest, exact): (usize, usize, f64)) -> Self {
        Self { width, largest, exact }
    }
}

/// The best sets of every size, smallest first. Columns, one after the other, and target are of length one.
pub fn column_sets(columns: &[f64], cost: &[f64], target: &[f64], beam: Beam, level: Level) -> Result<Vec<ColumnSet>> {
    if columns.len() != cost.len() * target.len() {
        return Err(Error::new(format!(
            "{} values are not {} columns of {} rows.",
            columns.len(),
            cost.len(),
            target.len()
        )));
    }
    if cost.is_empty() || target.is_empty() || beam.width == 0 {
        return Ok(Vec::new());
    }
    let mut columns = Columns::new(columns, cost, target, level);
    let mut found = columns.singles(4 * beam.width);
    let mut sets = if beam.largest > 1 {
        columns.pairs(4 * beam.width)
    } else {
        Vec::new()
    };
    for size in 2..=beam.largest {
        if sets.is_empty() {
            break;
        }
        found.extend(sets.iter().cloned());
        if size == beam.largest || sets[0].left < beam.exact {
            break;
        }
        sets = columns.grown(&sets[..sets.len().min(beam.width)], beam.width);
    }
    for set in &mut found {
        set.left = columns.left_by(&set.members);
    }
    Ok(found)
}

/// Columns with what is known of their inner products.
struct Columns<'a> {
    /// Padded with zeros to whole tiles.
    values: Vec<f64>,
    rows: usize,
    cost: &'a [f64],
    target: &'a [f64],
    with_target: Vec<f64>,
    /// Inner products of some columns with all others.
    known: BTreeMap<usize, Vec<f64>>,
    level: Level,
}

impl<'a> Columns<'a> {
    fn new(columns: &[f64], cost: &'a [f64], target: &'a [f64], level: Level) -> Self {
        let rows = target.len().next_multiple_of(LANES);
        let mut values = vec![0.0; cost.len().next_multiple_of(TILE) * rows];
        for (padded, column) in values.chunks_exact_mut(rows).zip(columns.chunks_exact(target.len())) {
            padded[..target.len()].copy_from_slice(column);
        }
        let with_target = columns
            .chunks_exact(target.len())
            .map(|column| inner(column, target))
            .collect();
        Self {
            values,
            rows,
            cost,
            target,
            with_target,
            known: BTreeMap::new(),
            level,
        }
    }

    fn column(&self, i: usize) -> &[f64] {
        &self.values[i * self.rows..(i + 1) * self.rows]
    }

    /// Inner products of four columns from `i` on with four from `j` on.
    fn tile(&self, i: usize, j: usize) -> [[f64; TILE]; TILE] {
        let four = |first: usize| std::array::from_fn(|k| self.column(first + k));
        products(self.level, four(i), four(j))
    }

    fn singles(&self, most: usize) -> Vec<ColumnSet> {
        let found = (0..self.cost.len()).map(|i| (self.with_target[i].powi(2), vec![i]));
        self.best(found.collect(), most)
    }

    /// The best pairs of all.
    fn pairs(&self, most: usize) -> Vec<ColumnSet> {
        let n = self.cost.len();
        let mut found: Vec<(f64, Vec<usize>)> = Vec::new();
        let mut least = f64::NEG_INFINITY;
        for first in (0..n).step_by(TILE) {
            for second in (first..n).step_by(TILE) {
                let tile = self.tile(first, second);
                for (i, line) in (first..n).zip(tile) {
                    for (j, product) in (second..n).zip(line) {
                        // The part of column j outside column i, and how much of the target it explains.
                        let apart = 1.0 - product * product;
                        let own = self.with_target[i];
                        let rest = self.with_target[j] - product * own;
                        let explained = own * own + rest * rest / apart;
                        if j > i && apart > APART && explained > least {
                            found.push((explained, vec![i, j]));
                        }
                    }
                }
                if found.len() > 8 * most {
                    found.sort_by(fittest);
                    found.truncate(most);
                    least = found[most - 1].0;
                }
            }
        }
        self.best(found, most)
    }

    /// Every set with the columns that help it most.
    fn grown(&mut self, sets: &[ColumnSet], width: usize) -> Vec<ColumnSet> {
        let mut found = BTreeMap::new();
        for set in sets {
            for &i in &set.members {
                self.know(i);
            }
            let mut more = self.joined(&set.members);
            more.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            for (explained, k) in more.into_iter().take(width) {
                let members: Vec<usize> = set.members.iter().copied().chain([k]).collect();
                let mut key = members.clone();
                key.sort_unstable();
                found.entry(key).or_insert((explained, members));
            }
        }
        self.best(found.into_values().collect(), 2 * width)
    }

    /// How much of the target is explained with one column more, for every column that lies outside the set.
    fn joined(&self, members: &[usize]) -> Vec<(f64, usize)> {
        let size = members.len();
        let with_all: Vec<&[f64]> = members.iter().map(|i| self.known[i].as_slice()).collect();
        let gram: Vec<f64> = (0..size * size).map(|k| with_all[k / size][members[k % size]]).collect();
        let Some(factor) = cholesky(&gram, size) else {
            return Vec::new();
        };
        let target: Vec<f64> = members.iter().map(|&i| self.with_target[i]).collect();
        let target = forward(&factor, size, &target);
        let explained = inner(&target, &target);
        let mut column = vec![0.0; size];
        (0..self.cost.len())
            .filter_map(|k| {
                for (c, line) in column.iter_mut().zip(&with_all) {
                    *c = line[k];
                }
                let column = forward(&factor, size, &column);
                let apart = 1.0 - inner(&column, &column);
                let rest = self.with_target[k] - inner(&column, &target);
                (apart > APART).then(|| (explained + rest * rest / apart, k))
            })
            .collect()
    }

    /// Computes the inner products of a column with all others.
    fn know(&mut self, i: usize) {
        if self.known.contains_key(&i) {
            return;
        }
        let line = i % TILE;
        let products = (0..self.cost.len()).step_by(TILE).flat_map(|j| self.tile(i - line, j)[line]);
        let products = products.take(self.cost.len()).collect();
        self.known.insert(i, products);
    }

    /// Squared length of what columns leave of the target, by orthogonalising them twice.
    fn left_by(&self, members: &[usize]) -> f64 {
        let n = self.target.len();
        let mut basis: Vec<Vec<f64>> = Vec::new();
        for &i in members {
            let mut column = self.column(i)[..n].to_vec();
            for other in basis.iter().chain(&basis) {
                remove(&mut column, other);
            }
            let length = inner(&column, &column).sqrt();
            if length > 0.0 {
                column.iter_mut().for_each(|x| *x /= length);
                basis.push(column);
            }
        }
        let mut rest = self.target.to_vec();
        for column in basis.iter().chain(&basis) {
            remove(&mut rest, column);
        }
        inner(&rest, &rest)
    }

    /// The sets that explain most, and at equality the cheapest.
    fn best(&self, mut found: Vec<(f64, Vec<usize>)>, most: usize) -> Vec<ColumnSet> {
        found.sort_by(fittest);
        found.truncate(most);
        let mut sets: Vec<ColumnSet> = found
            .into_iter()
            .map(|(explained, members)| ColumnSet {
                left: (1.0 - explained).max(0.0),
                cost: members.iter().map(|&i| self.cost[i]).sum(),
                members,
            })
            .collect();
        sets.sort_by(|a, b| a.left.total_cmp(&b.left).then(a.cost.total_cmp(&b.cost)));
        sets
    }
}

fn fittest(a: &(f64, Vec<usize>), b: &(f64, Vec<usize>)) -> Ordering {
    b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1))
}

fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Takes the part along `x`, of length one, out of `y`.
fn remove(y: &mut [f64], x: &[f64]) {
    let share = inner(y, x);
    for (y, x) in y.iter_mut().zip(x) {
        *y -= share * x;
    }
}

/// Lower factor of a small symmetric matrix; None if it is not positive definite.
fn cholesky(matrix: &[f64], size: usize) -> Option<Vec<f64>> {
    let mut factor = vec![0.0; size * size];
    for i in 0..size {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| factor[i * size + k] * factor[j * size + k]).sum();
            let left = matrix[i * size + j] - sum;
            factor[i * size + j] = match (i == j, left > 0.0) {
                (true, true) => left.sqrt(),
                (true, false) => return None,
                _ => left / factor[j * size + j],
            };
        }
    }
    Some(factor)
}

/// Solves L·x = right side.
fn forward(factor: &[f64], size: usize, right: &[f64]) -> Vec<f64> {
    let mut solution = Vec::with_capacity(size);
    for i in 0..size {
        let sum: f64 = (0..i).map(|k| factor[i * size + k] * solution[k]).sum();
        solution.push((right[i] - sum) / factor[i * size + i]);
    }
    solution
}
