//! The engine.

pub mod vector_math;
