//! The outer fit: an individual's columns, its outer coefficients by least squares, and what they leave unexplained.
use std::sync::Arc;

use crate::error::Result;
use crate::evaluate::aligned::Aligned;
use crate::evaluate::column::Column;
use crate::evaluate::dataset::Dataset;
use crate::evaluate::forward::{Scratch, evaluate};
use crate::evaluate::gradient::{Kept, Sweep, Tape, Tunable};
use crate::evaluate::least_squares::{Gram, PIVOT, leave, solve};
use crate::evaluate::program::Program;
use crate::evaluate::rounding::{is_rounding, is_suspicious};
use crate::evaluate::rows;
use crate::evaluate::working::{self, OuterFit, Start, Working};
use crate::tree::functions::{CustomOperator, MOST_EXPANDED, expanded_size};
use crate::tree::individual::{Gene, Individual};
use crate::tree::weights::Weights;
use crate::tune::levenberg_marquardt::Buffers;

/// Buffers of one thread.
#[derive(Debug, Default)]
pub struct Workspace {
    /// For forward sweeps.
    pub scratch: Scratch,
    /// For reverse sweeps.
    pub tape: Tape,
    /// Results of all steps, one entry per gene, during gradient tuning.
    pub kept: Vec<Kept>,
    /// What the last evaluated individual leaves unexplained, standardised.
    pub residual: Vec<f64>,
    /// The weighted squared error whose residual that is, where the loss is another one.
    pub working: Option<Working>,
    /// Derivatives of half the squared error by every weight.
    pub gradient: Vec<f64>,
    /// Derivative of the error by a gene's value, row by row.
    pub seed: Vec<f64>,
    /// For second-order tuning.
    pub second_order: Buffers,
    /// Is it enough to come near the outer coefficients of least loss, where the loss is another one than squared error?
    pub roughly: bool,
}

/// What evaluating needs besides the individual.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The training rows.
    pub data: &'a Dataset,
    /// The users' operators.
    pub library: &'a [CustomOperator],
    /// Are outer coefficients fitted, or all genes added as they are?
    pub fit_genes: bool,
    /// A gene whose part outside the others is no longer than this share of it gets coefficient 0.
    pub dependent_below: f64,
}

impl<'a> Context<'a> {
    /// For models on their own: no users' operators, outer coefficients fitted.
    pub fn of(data: &'a Dataset) -> Self {
        Self {
            data,
            library: &[],
            fit_genes: true,
            dependent_below: PIVOT.sqrt(),
        }
    }

    /// The reverse sweep of a gene on these rows.
    pub fn sweep(self, program: &'a Program, weights: &'a Weights, tunable: Tunable) -> Sweep<'a> {
        Sweep {
            program,
            weights,
            data: self.data,
            tunable,
        }
    }
}

impl Workspace {
    /// Does something with the rows that the last evaluated individual's residual belongs to: the data, or the weighted squared
    /// error that looks like another loss there.
    pub fn with_rows<R>(&mut self, context: Context, verb: impl FnOnce(Context, Option<&Working>, &mut Self) -> R) -> R {
        let working = self.working.take();
        let data = working.as_ref().map_or(context.data, |working| &working.data);
        let result = verb(Context { data, ..context }, working.as_ref(), self);
        self.working = working;
        result
    }
}

impl Individual {
    /// Columns of changed genes, missing inner products, outer coefficients, 1 − R² (or its like for another loss). Leaves the
    /// residual in the workspace.
    pub fn evaluate(&mut self, context: Context, workspace: &mut Workspace) {
        let data = context.data;
        let too_large = |gene: &Gene| expanded_size(&gene.nodes, context.library) > MOST_EXPANDED;
        if !context.library.is_empty() && self.genes.iter().any(too_large) {
            return self.mark_unfit();
        }
        if self.gram.len() != self.genes.len() {
            self.gram = Gram::unknown(self.genes.len());
        }
        for i in 0..self.genes.len() {
            if self.genes[i].column.is_none() && !self.prepare_column(i, context, workspace) {
                return self.mark_unfit();
            }
        }
        let columns: Vec<Arc<Column>> = self.genes.iter().filter_map(|gene| gene.column.clone()).collect();
        let columns: Vec<&Column> = columns.iter().map(Arc::as_ref).collect();
        workspace.working = None;
        let fitted = match (data.objective(), context.fit_genes) {
            (None, true) => self.least_squares(&columns, context, workspace),
            (None, false) => self.add_up(&columns, data, workspace),
            (Some(objective), true) => {
                let start = Start {
                    coefficients: &self.coefficients,
                    intercept: self.intercept,
                };
                let fitted = working::fit(&columns, data, objective, start, workspace.roughly);
                self.take(fitted, workspace)
            }
            (Some(objective), false) => self.take(working::add_up(&columns, data, objective), workspace),
        };
        let finite = self.intercept.is_finite() && self.coefficients.iter().all(|c| c.is_finite());
        if !fitted || !self.unexplained.is_finite() || !finite {
            self.mark_unfit();
        }
    }

    /// Outer coefficients of least squared error; false if they cannot be written down.
    fn least_squares(&mut self, columns: &[&Column], context: Context, workspace: &mut Workspace) -> bool {
        let data = context.data;
        self.gram.complete(columns, data);
        let fit = solve(&self.gram, columns, data, context.dependent_below, &mut workspace.residual);
        (self.coefficients, self.intercept) = data.target().in_user_units(&fit.coefficients, columns);
        self.unexplained = fit.unexplained * data.share();
        // Units so far apart that a coefficient vanishes: what was fitted cannot be written down.
        let vanished = |(c, standardised): (&f64, &f64)| c.abs() < f64::MIN_POSITIVE && standardised.abs() > 1e-12;
        !self.coefficients.iter().zip(&fit.coefficients).any(vanished)
    }

    /// Outer coefficients of another loss; false if there are none.
    fn take(&mut self, fitted: Option<(OuterFit, Working)>, workspace: &mut Workspace) -> bool {
        let Some((fit, working)) = fitted else { return false };
        working.residual(&fit.prediction, &mut workspace.residual);
        workspace.working = Some(working);
        (self.coefficients, self.intercept, self.unexplained) = (fit.coefficients, fit.intercept, fit.unexplained);
        true
    }

    /// Computes the standardised column of a gene, that of a constant where it is nothing but rounding; false if a value is not
    /// finite.
    pub fn prepare_column(&mut self, gene: usize, context: Context, workspace: &mut Workspace) -> bool {
        let data = context.data;
        let program = Program::compile(&self.genes[gene].nodes, &self.weights, context.library);
        let mut raw = Aligned::zeros(data.padded());
        evaluate(&program, &self.weights, data, &mut workspace.scratch, &mut raw);
        let mut column = data.standardise(raw);
        if let Some(column) = column.as_mut().filter(|column| is_suspicious(column, data))
            && is_rounding(&program, &self.weights, data, &mut workspace.scratch)
        {
            column.values.fill(0.0);
            column.norm = 0.0;
        }
        self.genes[gene].column = column.map(Arc::new);
        self.genes[gene].column.is_some()
    }

    /// Values of a gene on the (padded) rows.
    pub fn raw_column(&self, gene: usize, context: Context, workspace: &mut Workspace) -> Aligned {
        let program = Program::compile(&self.genes[gene].nodes, &self.weights, context.library);
        let mut raw = Aligned::zeros(context.data.padded());
        evaluate(&program, &self.weights, context.data, &mut workspace.scratch, &mut raw);
        raw
    }

    /// Values of every gene, row by row.
    pub fn gene_values(&self, data: &Dataset) -> Vec<Vec<f64>> {
        let (context, mut workspace) = (Context::of(data), Workspace::default());
        let values = |gene| self.raw_column(gene, context, &mut workspace)[..data.rows()].to_vec();
        (0..self.genes.len()).map(values).collect()
    }

    /// A model on its own: the same genes with outer coefficients fitted to these rows.
    pub fn fitted(&self, data: &Dataset) -> Result<Self> {
        let mut model = self.anew(data)?;
        model.evaluate(Context::of(data), &mut Workspace::default());
        Ok(model)
    }

    /// A copy that knows nothing of other rows.
    pub(crate) fn anew(&self, data: &Dataset) -> Result<Self> {
        self.check_features(data.n_features())?;
        let mut model = self.clone();
        model.forget();
        Ok(model)
    }

    /// Models without the outer fit: the genes as they are, added.
    fn add_up(&mut self, columns: &[&Column], data: &Dataset, workspace: &mut Workspace) -> bool {
        let target = data.target();
        let scale = if target.norm > 0.0 { target.norm } else { 1.0 };
        let standardised: Vec<f64> = columns.iter().map(|column| column.norm / scale).collect();
        let centred = leave(&standardised, columns, data, &mut workspace.residual);
        let offset = (target.mean - columns.iter().map(|column| column.mean).sum::<f64>()) / scale;
        for (k, r) in workspace.residual[..data.rows()].iter_mut().enumerate() {
            *r += offset * data.root_weights().map_or(1.0, |root| root[k]);
        }
        self.coefficients = vec![1.0; columns.len()];
        self.intercept = 0.0;
        self.unexplained = centred + offset * offset * data.rows() as f64;
        true
    }

    fn mark_unfit(&mut self) {
        self.coefficients = vec![0.0; self.genes.len()];
        self.intercept = 0.0;
        self.unexplained = f64::INFINITY;
    }

    /// Prediction for every row of `data`.
    pub fn predict(&self, data: &Dataset, workspace: &mut Workspace) -> Vec<f64> {
        let context = Context::of(data);
        let mut sum = vec![self.intercept; data.padded()];
        for (i, &c) in self.coefficients.iter().enumerate() {
            if c != 0.0 {
                rows::add_scaled(data.level(), &mut sum, c, &self.raw_column(i, context, workspace));
            }
        }
        sum.truncate(data.rows());
        sum
    }
}
