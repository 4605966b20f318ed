//! Models on rows: values, outer coefficients, loss and derivatives.
//!
//! In come individuals and a data set; out go standardised columns of values, outer coefficients, the share of the loss that is
//! left unexplained, fitness, and exact derivatives by the inner weights for `tune`. All that touches a row is here or in
//! `vector_math`: loops over blocks of rows that stay in the first-level cache.

pub mod aligned;
pub mod column;
pub mod column_sets;
pub mod criterion;
pub mod dataset;
pub mod dependent;
pub mod forward;
pub mod gradient;
pub mod least_squares;
pub mod loops;
pub mod loss;
pub mod losses;
pub mod matrix;
pub mod outer_fit;
pub mod program;
pub mod rounding;
pub mod rows;
pub mod working;
