//! Models as structures: what a formula is made of, before any row is looked at.
//!
//! In comes text, or nodes that `vary` draws; out go trees that `evaluate` runs over rows, `vary` recombines and people read.
//! A gene is a postfix list of nodes over a table of inner weights, an individual is several genes with outer coefficients.

pub mod functions;
pub mod gene;
pub mod individual;
pub mod interval;
pub mod measure;
pub mod operator;
pub mod postfix;
pub mod printed_size;
pub mod rescale;
pub mod saved;
pub mod text;
mod tokens;
pub mod weights;
