//! Prints how many values per second each vector function does at each level, on data that stay in the first-level
//! cache. Run: `cargo run --release -p multigene-core --example vector_math_rates [name]`.

use multigene_core::vector_math::Level;
use std::hint::black_box;
use std::time::Instant;

#[path = "../tests/vector_math/functions.rs"]
mod functions;
use functions::*;

const ROWS: usize = 1024;
const SWEEPS: usize = 400;

/// Values per second in units of 10^9, the best of several tries.
fn rate(mut sweep: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..60 {
        let start = Instant::now();
        for _ in 0..SWEEPS {
            sweep();
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    (ROWS * SWEEPS) as f64 / best / 1e9
}

fn main() {
    type Function = fn(Level, &[f64], &mut [f64]);
    let functions: [(&str, Function); 12] = [
        ("exp", exp),
        ("log", log),
        ("sin", sin),
        ("cos", cos),
        ("sinc", sinc),
        ("tanh", tanh),
        ("logistic", logistic),
        ("softplus", softplus),
        ("gauss", gauss),
        ("erf", erf),
        ("atan", atan),
        ("sincos", |level, x, out| {
            let mut cosine = [0.0; ROWS];
            sincos(level, x, out, &mut cosine);
            black_box(&cosine);
        }),
    ];
    let wanted = std::env::args().nth(1);
    let x: Vec<f64> = (0..ROWS).map(|i| 0.01 + 0.007 * i as f64).collect();
    let mut out = vec![0.0; ROWS];
    println!("10^9 values per second; levels: {:?}", Level::available());
    for (name, function) in functions {
        if wanted.as_deref().is_some_and(|wanted| wanted != name) {
            continue;
        }
        print!("{name:9}");
        for level in Level::available() {
            print!(" {:6.2}", rate(|| function(level, black_box(&x), black_box(&mut out))));
        }
        println!();
    }
}
