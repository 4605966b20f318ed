//! What makes one individual fitter than another: explained variance, and how much of it a parameter must earn.
use crate::error::{Error, Result};
use crate::tree::individual::Individual;

/// Below this share of unexplained variance only size counts: it is rounding.
const FLOOR: f64 = 1e-22;

/// Criteria of selection. All but R² are minus the logarithm of the unexplained variance less a price for size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Criterion {
    /// Training R² (paper).
    R2,
    /// Generalised cross-validation: SSE / (1 − w·k/n)², with a weight on the number of parameters.
    Gcv(f64),
    /// Bayesian information criterion.
    Bic,
    /// Bayesian information criterion with prices per parameter and per node (law seekers).
    Compact(f64, f64),
}

impl Criterion {
    /// The criterion of this name, with its prices per parameter and per node.
    pub fn named(name: &str, per_parameter: f64, per_node: f64) -> Result<Self> {
        match name {
            "r2" => Ok(Self::R2),
            "gcv" => Ok(Self::Gcv(per_parameter)),
            "bic" => Ok(Self::Bic),
            "compact" => Ok(Self::Compact(per_parameter, per_node)),
            _ => Err(Error::new(format!(
                "There is no criterion {name:?}; take r2, gcv, bic or compact."
            ))),
        }
    }

    /// Price of `k` parameters and `nodes` nodes with `n` rows.
    pub fn price(self, k: usize, nodes: usize, n: usize) -> f64 {
        let (k, nodes, n) = (k as f64, nodes as f64, n as f64);
        match self {
            Self::R2 => 0.0,
            Self::Gcv(weight) => {
                let left = 1.0 - weight * k / n;
                if left > 0.0 { -2.0 * left.ln() } else { f64::INFINITY }
            }
            Self::Bic => k * n.ln() / n,
            Self::Compact(per_parameter, per_node) => (per_parameter * k + per_node * nodes) * n.ln() / n,
        }
    }

    /// Fitness of an evaluated individual on `n` rows; −∞ for one without a finite value somewhere.
    pub fn fitness(self, individual: &Individual, n: usize) -> f64 {
        if !individual.unexplained.is_finite() {
            return f64::NEG_INFINITY;
        }
        match self {
            Self::R2 => individual.fitness(),
            _ => -individual.unexplained.max(FLOOR).ln() - self.price(individual.parameters(), individual.nodes(), n),
        }
    }

    /// The unexplained variance at which an individual of this size would have this fitness.
    pub fn unexplained_at(self, fitness: f64, individual: &Individual, n: usize) -> f64 {
        match self {
            Self::R2 => 1.0 - fitness,
            _ => (-fitness - self.price(individual.parameters(), individual.nodes(), n)).exp(),
        }
    }
}
