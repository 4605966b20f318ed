//! What an individual was before a step of second-order tuning, so that the step can be taken back without evaluating again.
use std::sync::Arc;

use super::parameters::Parameters;
use crate::evaluate::column::Column;
use crate::evaluate::least_squares::Gram;
use crate::evaluate::outer_fit::Workspace;
use crate::evaluate::working::Working;
use crate::tree::individual::Individual;

/// The individual before a step, to go back to.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// The tuned weights.
    pub(super) values: Vec<f64>,
    /// Columns of the genes that use them.
    columns: Vec<Option<Arc<Column>>>,
    gram: Gram,
    coefficients: Vec<f64>,
    intercept: f64,
    unexplained: f64,
    /// The residual and what it belongs to, swapped with those of the step under trial.
    residual: Vec<f64>,
    working: Option<Working>,
}

impl Kept {
    /// Before a step.
    pub(super) fn keep(&mut self, individual: &Individual, parameters: &Parameters) {
        self.values.clear();
        self.values
            .extend(parameters.places.iter().map(|&place| individual.weights.values()[place]));
        self.columns.clear();
        self.columns
            .extend(parameters.genes.iter().map(|&gene| individual.genes[gene].column.clone()));
        self.gram.clone_from(&individual.gram);
        self.coefficients.clone_from(&individual.coefficients);
        (self.intercept, self.unexplained) = (individual.intercept, individual.unexplained);
    }

    /// Columns are shared with the individual, features with the data: none is kept alive from here.
    pub(super) fn release(&mut self) {
        self.columns.clear();
        self.working = None;
    }

    /// The workspace's residual for the one held here.
    pub(super) fn swap(&mut self, workspace: &mut Workspace) {
        std::mem::swap(&mut self.residual, &mut workspace.residual);
        std::mem::swap(&mut self.working, &mut workspace.working);
    }

    /// After a step that did not help and left its residual in the workspace.
    pub(super) fn restore(&mut self, individual: &mut Individual, parameters: &Parameters, workspace: &mut Workspace) {
        for (&place, &value) in parameters.places.iter().zip(&self.values) {
            individual.weights.values_mut()[place] = value;
        }
        for (&gene, column) in parameters.genes.iter().zip(&self.columns) {
            individual.genes[gene].column.clone_from(column);
        }
        individual.gram.clone_from(&self.gram);
        individual.coefficients.clone_from(&self.coefficients);
        (individual.intercept, individual.unexplained) = (self.intercept, self.unexplained);
        self.swap(workspace);
    }
}
