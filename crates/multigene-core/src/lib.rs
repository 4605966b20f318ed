//! Engine of multigene: everything that is done per row or per node.
//!
//! Pure Rust: no Python, no files, no clock, no global randomness. `operator ← gene ← individual ← population`;
//! `evaluate ← gradient ← tune`. The verbs of [`population::Population`] are what the search loop calls.

pub mod aligned;
pub mod column_sets;
pub mod criterion;
pub mod dataset;
pub mod error;
pub mod evaluate;
pub mod functions;
pub mod gene;
pub mod gradient;
pub mod grow;
pub mod individual;
pub mod interval;
pub mod least_squares;
pub mod loops;
pub mod measure;
pub mod mutate;
pub mod neighbours;
pub mod operator;
pub mod population;
pub mod program;
pub mod rescale;
pub mod rows;
pub mod synchronise;
pub mod text;
mod tokens;
pub mod tune;
pub mod vary;
pub mod vector_math;
pub mod weights;
