//! Globally synchronised mode (paper, section 3.3.3): the LCFs that all individuals of a population share.
use std::sync::atomic::{AtomicBool, Ordering};

use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;
use rayon::prelude::*;

use super::{Population, with_workspace};
use crate::evaluate::dataset::Dataset;
use crate::settings::Tuning;
use crate::tree::individual::Individual;
use crate::tune;
use crate::vary::grow::SlotRng;
use crate::vary::synchronise::mirror;

impl Population {
    /// One step of the population's shared LCFs (paper, section 3.3.3): derivatives of all individuals are summed by index,
    /// one update moves the shared weights, all individuals are evaluated again. What was better before the step is remembered:
    /// the result of a run is the best ever seen.
    pub fn tune_shared(&mut self, data: &Dataset, tuning: &Tuning, stop: &AtomicBool) {
        let Some(mut shared) = self.shared.take() else { return };
        self.individuals.par_iter_mut().for_each(Individual::remember);
        let context = self.context(data);
        let width = shared.values().len();
        let gradients: Vec<Vec<f64>> = self
            .individuals
            .par_iter()
            .map(|individual| {
                if stop.load(Ordering::Relaxed) {
                    return Vec::new();
                }
                with_workspace(|workspace| {
                    let mut individual = individual.clone();
                    individual.unexplained = f64::NAN;
                    individual.evaluate(context, workspace);
                    if stop.load(Ordering::Relaxed) || !individual.unexplained.is_finite() {
                        return Vec::new();
                    }
                    tune::gradient(&individual, context, tuning.tunable(), workspace);
                    workspace.gradient[..width].to_vec()
                })
            })
            .collect();
        if !stop.load(Ordering::Relaxed) {
            let mut total = vec![0.0; width];
            for gradient in gradients.iter().filter(|g| g.iter().all(|v| v.is_finite())) {
                for (sum, g) in total.iter_mut().zip(gradient) {
                    *sum += g;
                }
            }
            tune::step(tuning, &mut shared, &total, false);
        }
        self.shared = Some(shared);
        self.mirror_shared();
        self.evaluate(data, stop);
        self.individuals.par_iter_mut().for_each(Individual::drop_lower_peak);
    }

    /// Weights mutation of configuration GC: for every seed, all weights of all shared LCFs move by N(0, σ).
    pub fn perturb_shared(&mut self, sigma: f64, seeds: &[u64]) {
        let Some(shared) = self.shared.as_mut() else {
            return;
        };
        for &seed in seeds {
            let mut rng = SlotRng::seed_from_u64(seed);
            for value in shared.values_mut() {
                *value += sigma * rng.sample::<f64, _>(StandardNormal);
            }
        }
        self.mirror_shared();
    }

    /// Writes the shared LCFs into all individuals.
    pub(super) fn mirror_shared(&mut self) {
        if let Some(shared) = &self.shared {
            self.individuals
                .par_iter_mut()
                .for_each(|individual| mirror(individual, shared));
        }
    }
}
