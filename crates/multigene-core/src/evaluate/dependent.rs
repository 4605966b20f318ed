//! Columns that nearly depend on others: told apart from those that do depend on them, and fitted as accurately as by an SVD.
//!
//! The Gram matrix knows a column's part outside the others only while it is longer than about 1e-8: products lose the rest to
//! rounding. Below that the part is computed on the rows: the column less its projection, projected again until nothing is left
//! of the others. It takes the column's place in the fit; the coefficients are turned back into those of the columns themselves
//! at the end. In: columns and their products. Out: a basis that solves for any right side.
use crate::evaluate::aligned::Aligned;
use crate::evaluate::column::Column;
use crate::evaluate::dataset::Dataset;
use crate::evaluate::least_squares::{Factor, Gram, PIVOT};
use crate::evaluate::rows;
use crate::vector_math::Level;

/// Projections at most: each leaves about 1e-7 of what the last one left of the others.
const PROJECTIONS: usize = 3;
/// What rounding leaves of a dependent column: this many units in the last place of all columns that its projection adds up.
const ROUNDING: f64 = 16.0;

/// The part of a column outside the kept columns and the parts before it, of unit length.
#[derive(Clone, Debug)]
struct Part {
    /// The column's number.
    column: usize,
    values: Aligned,
    /// What was subtracted of each kept column, and of each part before it.
    of_columns: Vec<f64>,
    of_parts: Vec<f64>,
    length: f64,
}

/// Columns that span what the given ones do: those kept as they are, and parts that are orthogonal to them and to each other.
#[derive(Clone, Debug)]
pub struct Basis {
    factor: Factor,
    parts: Vec<Part>,
}

impl Basis {
    /// A basis of the columns; those whose part outside the others is no longer than `below` are left out.
    pub fn new(gram: &Gram, columns: &[&Column], data: &Dataset, below: f64) -> Self {
        let mut basis = Self {
            factor: Factor::new(gram, PIVOT.max(below * below)),
            parts: Vec::new(),
        };
        if below * below < PIVOT {
            for i in 0..columns.len() {
                if !basis.factor.keeps(i) && columns[i].norm > 0.0 && !repeats(columns, gram, i) {
                    let part = basis.part(i, columns, data, below);
                    basis.parts.extend(part);
                }
            }
        }
        basis
    }

    /// The part of column `i` outside the basis; None where it is too short, or no more than rounding.
    fn part(&self, i: usize, columns: &[&Column], data: &Dataset, below: f64) -> Option<Part> {
        let mut part = Part {
            column: i,
            values: columns[i].values.clone(),
            of_columns: vec![0.0; columns.len()],
            of_parts: vec![0.0; self.parts.len()],
            length: 1.0,
        };
        for _ in 0..PROJECTIONS {
            let before = part.length;
            self.project(&mut part, columns, data.level());
            if part.length > 0.5 * before {
                break;
            }
        }
        let noise = |j: usize| 1.0 + columns[j].mean.abs() * (data.rows() as f64).sqrt() / columns[j].norm;
        let subtracted = part.of_columns.iter().enumerate().filter(|&(_, &share)| share != 0.0);
        let rounding = noise(i) + subtracted.map(|(j, share)| share.abs() * noise(j)).sum::<f64>();
        if part.length.is_nan() || part.length <= below.max(ROUNDING * f64::EPSILON * rounding) {
            return None;
        }
        rows::scale(data.level(), &mut part.values, 1.0 / part.length);
        Some(part)
    }

    /// Subtracts the projection on the basis once.
    fn project(&self, part: &mut Part, columns: &[&Column], level: Level) {
        let mut shares: Vec<f64> = (0..columns.len())
            .map(|j| {
                if self.factor.keeps(j) {
                    rows::dot(level, &columns[j].values, &part.values)
                } else {
                    0.0
                }
            })
            .collect();
        self.factor.solve(&mut shares);
        for (j, &share) in shares.iter().enumerate().filter(|&(_, &share)| share != 0.0) {
            rows::add_scaled(level, &mut part.values, -share, &columns[j].values);
            part.of_columns[j] += share;
        }
        for (earlier, sum) in self.parts.iter().zip(&mut part.of_parts) {
            let share = rows::dot(level, &earlier.values, &part.values);
            rows::add_scaled(level, &mut part.values, -share, &earlier.values);
            *sum += share;
        }
        part.length = rows::dot(level, &part.values, &part.values).sqrt();
    }

    /// Coefficients of the columns: `products`, those of the columns with a right side, in; coefficients out. `right` is that
    /// right side, row by row.
    pub fn solve(&self, products: &mut [f64], right: &[f64], data: &Dataset) {
        self.factor.solve(products);
        let mut shares: Vec<f64> = self
            .parts
            .iter()
            .map(|part| rows::dot(data.level(), &part.values, right))
            .collect();
        for (number, part) in self.parts.iter().enumerate().rev() {
            let coefficient = shares[number] / part.length;
            products[part.column] = coefficient;
            for (own, share) in products.iter_mut().zip(&part.of_columns) {
                *own -= coefficient * share;
            }
            for (own, share) in shares.iter_mut().zip(&part.of_parts) {
                *own -= coefficient * share;
            }
        }
    }

    /// The smallest pivot among the columns kept as they are.
    pub fn least_pivot(&self) -> f64 {
        self.factor.least_pivot()
    }

    /// Number of columns that take part.
    pub fn rank(&self) -> usize {
        self.factor.rank() + self.parts.len()
    }
}

/// Does column `i` repeat an earlier one, value by value? Crossover often gives a gene twice: it need not be looked at.
fn repeats(columns: &[&Column], gram: &Gram, i: usize) -> bool {
    (0..i).any(|j| gram.get(i, j) > 1.0 - 1e-12 && columns[i].values.as_slice() == columns[j].values.as_slice())
}
