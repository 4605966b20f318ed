//! Engine of multigene: everything that is done per row or per node.
//!
//! Pure Rust: no Python, no files, no clock, no global randomness. The folders are the stages through which a model goes, in
//! this order; each folder's head says what comes in and what goes out:
//!
//! | module | a model there is … |
//! |---|---|
//! | [`settings`] | not there yet: what people set, by name |
//! | [`tree`] | a structure: operators, genes as postfix nodes, inner weights, text |
//! | [`vary`] | born or bred: random genes, crossover, mutation, weights shared by index |
//! | [`tune`] | moved: its inner weights by gradient or by Levenberg–Marquardt; shortened |
//! | [`evaluate`] | measured: columns of values, outer coefficients, loss, derivatives |
//! | [`population`] | one of many: the verbs that the search loop calls, each on all individuals in parallel |
//!
//! [`vector_math`] is the arithmetic under them all, [`error`] what they say when they cannot go on.

pub mod error;
pub mod evaluate;
pub mod population;
pub mod settings;
pub mod tree;
pub mod tune;
pub mod vary;
pub mod vector_math;
