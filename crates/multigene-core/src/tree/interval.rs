//! Interval arithmetic: the range of values an operator can take over a box of inputs.
//!
//! Used to prove that a formula has no pole, overflow or undefined point over the training box. Results are
//! outer bounds: never too narrow beyond rounding, sometimes too wide.
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Beyond this, where crests of sin and cos lie is no longer known well enough to say that a range holds none.
const FAR: f64 = 1e7;

/// A closed range of values. `UNDEFINED` (NaN bounds) says that some input has no finite value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

// Plain methods, named as the operators are: `range` rows of the operator table read the same for all of them.
#[allow(clippy::should_implement_trait)]
impl Interval {
    /// The range of something that may be undefined or infinite.
    pub const UNDEFINED: Self = Self {
        low: f64::NAN,
        high: f64::NAN,
    };

    /// The range from `low` to `high`; undefined when either is not a number.
    pub fn new(low: f64, high: f64) -> Self {
        if low <= high { Self { low, high } } else { Self::UNDEFINED }
    }

    /// The range that holds one value.
    pub fn point(value: f64) -> Self {
        Self::new(value, value)
    }

    /// True when every input has a finite value.
    pub fn is_finite(self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }

    /// True when `value` lies in the range.
    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Image under a function that rises.
    pub fn rising(self, f: impl Fn(f64) -> f64) -> Self {
        if self.is_finite() {
            Self::new(f(self.low), f(self.high))
        } else {
            Self::UNDEFINED
        }
    }

    /// Image under a function that falls.
    pub fn falling(self, f: impl Fn(f64) -> f64) -> Self {
        if self.is_finite() {
            Self::new(f(self.high), f(self.low))
        } else {
            Self::UNDEFINED
        }
    }

    /// Distances from zero: the image under `abs`.
    pub fn abs(self) -> Self {
        if self.contains(0.0) {
            Self::new(0.0, self.high.max(-self.low))
        } else if self.high < 0.0 {
            Self::new(-self.high, -self.low)
        } else {
            self
        }
    }

    /// Sum of two ranges.
    pub fn add(self, other: Self) -> Self {
        Self::new(self.low + other.low, self.high + other.high)
    }

    /// Difference of two ranges.
    pub fn sub(self, other: Self) -> Self {
        Self::new(self.low - other.high, self.high - other.low)
    }

    /// Product of two ranges.
    pub fn mul(self, other: Self) -> Self {
        let p = [
            self.low * other.low,
            self.low * other.high,
            self.high * other.low,
            self.high * other.high,
        ];
        if p.iter().any(|v| v.is_nan()) {
            return Self::UNDEFINED;
        }
        Self::new(
            p.iter().copied().fold(f64::INFINITY, f64::min),
            p.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        )
    }

    /// 1/x; undefined when the range holds zero.
    pub fn inverse(self) -> Self {
        if self.contains(0.0) {
            Self::UNDEFINED
        } else {
            self.falling(|v| 1.0 / v)
        }
    }

    /// Smaller of the two, argument by argument.
    pub fn min(self, other: Self) -> Self {
        Self::new(self.low.min(other.low), self.high.min(other.high))
    }

    /// Larger of the two, argument by argument.
    pub fn max(self, other: Self) -> Self {
        Self::new(self.low.max(other.low), self.high.max(other.high))
    }

    /// x**n for a whole n.
    pub fn power(self, n: i32) -> Self {
        let positive = |r: Self, n: i32| match n % 2 {
            0 => r.abs().rising(|v| v.powi(n)),
            _ => r.rising(|v| v.powi(n)),
        };
        if n >= 0 {
            positive(self, n)
        } else {
            positive(self, -n).inverse()
        }
    }

    /// cos x: exact at the turning points inside the range.
    pub fn cos(self) -> Self {
        self.wave(f64::cos, 0.0)
    }

    /// sin x.
    pub fn sin(self) -> Self {
        self.wave(f64::sin, FRAC_PI_2)
    }

    /// A wave of period 2π and height 1 whose crests lie at `crest` + 2πk.
    fn wave(self, f: impl Fn(f64) -> f64, crest: f64) -> Self {
        if !self.is_finite() {
            return Self::UNDEFINED;
        }
        if self.abs().high > FAR {
            return Self::new(-1.0, 1.0);
        }
        let holds = |offset: f64| ((self.high - offset) / TAU).floor() >= ((self.low - offset) / TAU).ceil();
        let (a, b) = (f(self.low), f(self.high));
        let low = if holds(crest - PI) { -1.0 } else { a.min(b) };
        let high = if holds(crest) { 1.0 } else { a.max(b) };
        Self::new(low, high)
    }

    /// sin x / x: 1 at the nearest point to zero at most, bounded by 1/|x| outside.
    pub fn sinc(self) -> Self {
        let distance = self.abs();
        if !distance.is_finite() {
            return Self::UNDEFINED;
        }
        let bound = if distance.low > 1.0 { 1.0 / distance.low } else { 1.0 };
        // The least value of sin x / x is -0.21723..., at x = 4.4934...
        Self::new((-bound).max(-0.217_233_628_211_222), bound)
    }

    /// e^(-x²).
    pub fn gauss(self) -> Self {
        self.abs().falling(|v| (-v * v).exp())
    }
}
