//! The table of inner weights of an individual: constants, linear combinations of features (LCF, paper section 3),
//! product leaves and the weights of inner nodes. Nodes hold the number of a row; a row is a list of (feature, weight).
//!
//! The modes of the paper's section 3.3 are a matter of who shares rows: unsynchronised, every LCF node has a row of its own;
//! synchronised, row k is *the* LCF of index k of the individual; globally synchronised, those rows mirror the population's.

use serde::{Deserialize, Serialize};

/// The "feature" of an additive weight.
pub const BIAS: u32 = u32::MAX;
/// The "feature" of the factor of a weighted inner node: the node's own value.
pub const OWN_VALUE: u32 = u32::MAX - 1;

/// What gradient tuning remembers of a weight between generations; inherited by offspring.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Step size (iRprop's Δ); 0 before the first step.
    pub step: f64,
    /// Derivative at the last step (Adam: first moment).
    pub slope: f64,
    /// Last change of the weight (iRprop⁺) or second moment (Adam).
    pub extra: f64,
}

impl Memory {
    /// Nothing remembered yet.
    pub const NEW: Self = Self {
        step: 0.0,
        slope: 0.0,
        extra: 0.0,
    };
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Span {
    index: u32,
    start: u32,
    len: u32,
}

/// One row as it is read.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// Index of the LCF: the feature it was born on (paper, section 3.3).
    pub index: u32,
    /// Number of the row's first weight in the whole table.
    pub start: usize,
    /// Feature of each weight.
    pub features: &'a [u32],
    /// The weights.
    pub values: &'a [f64],
}

impl Row<'_> {
    /// The additive weight.
    pub fn bias(&self) -> f64 {
        self.iter()
            .filter(|&(feature, _)| feature == BIAS)
            .map(|(_, value)| value)
            .sum()
    }

    /// The weight of a feature, if the row has one.
    pub fn weight_of(&self, feature: u32) -> Option<f64> {
        self.iter().find(|term| term.0 == feature).map(|term| term.1)
    }

    /// Pairs of feature and weight.
    pub fn iter(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.features.iter().copied().zip(self.values.iter().copied())
    }

    /// Pairs of feature and weight without the additive weight and without zeros.
    pub fn slopes(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.iter().filter(|&(feature, value)| feature != BIAS && value != 0.0)
    }
}

/// All inner weights of an individual, in flat arrays so that copying an individual is a few copies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Weights {
    spans: Vec<Span>,
    features: Vec<u32>,
    values: Vec<f64>,
    memory: Vec<Memory>,
}

impl Weights {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// True when there is no row.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Adds a row and returns its number.
    pub fn push(&mut self, index: u32, terms: impl IntoIterator<Item = (u32, f64)>) -> u32 {
        let start = self.values.len() as u32;
        for (feature, value) in terms {
            self.features.push(feature);
            self.values.push(value);
            self.memory.push(Memory::NEW);
        }
        self.spans.push(Span {
            index,
            start,
            len: self.values.len() as u32 - start,
        });
        self.spans.len() as u32 - 1
    }

    /// Adds a constant and returns its row.
    pub fn push_constant(&mut self, value: f64) -> u32 {
        self.push(BIAS, [(BIAS, value)])
    }

    /// The row of the shared constant with this number, if there is one.
    pub fn shared_constant(&self, index: u32) -> Option<u32> {
        let is_it = |span: &Span| span.index == index && span.len == 1 && self.features[span.start as usize] == BIAS;
        self.spans.iter().position(is_it).map(|row| row as u32)
    }

    /// Adds a copy of a row of another table, with what tuning remembers, and returns its number.
    pub fn push_copy(&mut self, other: &Self, row: u32) -> u32 {
        let span = other.spans[row as usize];
        let range = span.start as usize..(span.start + span.len) as usize;
        let start = self.values.len() as u32;
        self.features.extend_from_slice(&other.features[range.clone()]);
        self.values.extend_from_slice(&other.values[range.clone()]);
        self.memory.extend_from_slice(&other.memory[range]);
        self.spans.push(Span { start, ..span });
        self.spans.len() as u32 - 1
    }

    /// Row `row`.
    pub fn row(&self, row: u32) -> Row<'_> {
        let span = self.spans[row as usize];
        let range = span.start as usize..(span.start + span.len) as usize;
        Row {
            index: span.index,
            start: range.start,
            features: &self.features[range.clone()],
            values: &self.values[range],
        }
    }

    /// The value of a constant's row.
    pub fn constant(&self, row: u32) -> f64 {
        self.values[self.spans[row as usize].start as usize]
    }

    /// Places of a row's weights in the whole table.
    pub fn range(&self, row: u32) -> std::ops::Range<usize> {
        let span = self.spans[row as usize];
        span.start as usize..(span.start + span.len) as usize
    }

    /// All weights.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All weights, to be changed.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Feature of every weight.
    pub fn features(&self) -> &[u32] {
        &self.features
    }

    /// Weights and what tuning remembers of them, to be changed together.
    pub fn tunable(&mut self) -> (&mut [f64], &mut [Memory]) {
        (&mut self.values, &mut self.memory)
    }

    /// What tuning remembers of a row.
    pub fn memory(&self, row: u32) -> &[Memory] {
        &self.memory[self.range(row)]
    }

    /// Overwrites a row by one of the same features in another table.
    pub fn set_row(&mut self, row: u32, other: &Self, other_row: u32) {
        let (to, from) = (self.range(row), other.range(other_row));
        debug_assert_eq!(self.features[to.clone()], other.features[from.clone()]);
        self.values[to.clone()].copy_from_slice(&other.values[from.clone()]);
        self.memory[to].copy_from_slice(&other.memory[from]);
    }

    /// Has every row at least one weight in the table, and every weight a feature and a memory?
    pub fn is_whole(&self) -> bool {
        let n = self.values.len();
        let inside = |span: &Span| span.len > 0 && span.start as usize + span.len as usize <= n;
        self.features.len() == n && self.memory.len() == n && self.spans.iter().all(inside)
    }

    /// Replaces a row's terms; the old ones stay unused until the individual is bred again.
    pub fn replace(&mut self, row: u32, terms: impl IntoIterator<Item = (u32, f64)>) {
        let new = self.push(self.spans[row as usize].index, terms);
        let span = self.spans.pop().expect("just pushed");
        debug_assert_eq!(new as usize, self.spans.len());
        self.spans[row as usize] = span;
    }
}
