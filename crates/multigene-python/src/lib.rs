//! Python binding: module `multigene._engine`. Signatures and errors only; what they do is in `multigene-core`,
//! what they mean is documented in `_engine.pyi`.
mod convert;
mod loss;
mod model;
mod population;
mod settings;
mod workers;

use pyo3::prelude::*;

#[pymodule]
mod _engine {
    #[pymodule_export]
    use crate::loss::{loss_constant, loss_rows};
    #[pymodule_export]
    use crate::model::{Individual, apply, check_functions, column_sets, operators, polish};
    #[pymodule_export]
    use crate::population::{Dataset, Population, sweep};
    #[pymodule_export]
    use crate::workers::Workers;
}
