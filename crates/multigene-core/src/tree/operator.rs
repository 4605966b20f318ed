//! The operators: one row each. Evaluation, derivative, range of values, text, parsing and tests follow from the row.
//!
//! A row says: variant, name, value, slope (derivative given the argument and the value), range of values.
//! `FMA` is the constant of the kernel the row is expanded into: true where the machine fuses multiply and add.
use crate::evaluate::loops::{Rows, beyond, repair, scale, sweep, whole, whole_mut};
use crate::tree::interval::Interval;
use crate::vector_math as math;

/// How an operator is written in formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// Between its arguments: `a + b`; the number is its precedence.
    Infix(&'static str, u8),
    /// As a call: `sin(x)`.
    Call,
    /// As a power: `x**3`.
    Power,
}

/// Largest exponent of `x**n`.
pub const MAX_POWER: i8 = 32;

macro_rules! operators {
    (
        unary { $(
            $unary:ident $unary_name:literal
            value |$x:ident| $value:expr $(, wide $wide:expr)?;
            slope |$sx:ident, $sv:ident| $slope:expr $(, wide $wide_slope:expr)?;
            range |$r:ident| $range:expr;
        )* }
        binary { $(
            $binary:ident $binary_name:literal $notation:expr;
            value |$a:ident, $b:ident| $binary_value:expr;
            slopes |$pa:ident, $pb:ident, $pv:ident| $slope_a:expr, $slope_b:expr;
            range |$ra:ident, $rb:ident| $binary_range:expr;
        )* }
    ) => {
        /// A function of one or two arguments that inner nodes apply.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        pub enum Operator {
            $( #[doc = concat!("`", $unary_name, "`")] $unary, )*
            $( #[doc = concat!("`", $binary_name, "`")] $binary, )*
            /// `x**n` for a whole n other than 0 and 1.
            Power(i8),
        }

        impl Operator {
            /// Every operator but the powers, in the order of the table.
            pub const ALL: &'static [Self] = &[ $(Self::$unary,)* $(Self::$binary,)* ];

            /// Number of arguments.
            pub fn arity(self) -> usize {
                match self {
                    $( Self::$binary => 2, )*
                    _ => 1,
                }
            }

            /// The name by which users choose it, e.g. `sin`, `add`, `pow3`.
            pub fn name(self) -> String {
                match self {
                    $( Self::$unary => $unary_name.into(), )*
                    $( Self::$binary => $binary_name.into(), )*
                    Self::Power(n) => format!("pow{n}"),
                }
            }

            /// How it is written.
            pub fn notation(self) -> Notation {
                match self {
                    $( Self::$binary => $notation, )*
                    Self::Power(_) => Notation::Power,
                    _ => Notation::Call,
                }
            }

            /// Range of values over ranges of the arguments (the second is ignored by one-argument operators).
            pub fn range(self, first: Interval, second: Interval) -> Interval {
                let defined = first.is_finite() && (self.arity() == 1 || second.is_finite());
                if !defined {
                    return Interval::UNDEFINED;
                }
                let range = match self {
                    $( Self::$unary => { let $r = first; $range } )*
                    $( Self::$binary => { let ($ra, $rb) = (first, second); $binary_range } )*
                    Self::Power(n) => first.power(i32::from(n)),
                };
                if range.is_finite() { range } else { Interval::UNDEFINED }
            }
        }

        /// Writes `operator(x)` to `out`, row by row.
        #[inline(always)]
        pub fn unary<const FMA: bool>(operator: Operator, x: &[f64], out: &mut [f64]) {
            match operator {
                $( Operator::$unary => { sweep!(x, out; |$x| $value $(, $wide)?); } )*
                Operator::Power(n) => power(x, n, out),
                _ => unreachable!("{operator:?} takes two arguments"),
            }
        }

        /// Writes `adjoint * operator'(x)` to `out`, row by row; `v` holds `operator(x)`.
        #[inline(always)]
        pub fn unary_slope<const FMA: bool>(operator: Operator, x: &[f64], v: &[f64], adjoint: &[f64], out: &mut [f64]) {
            match operator {
                $( Operator::$unary => { sweep!(x, v, out; |$sx, $sv| $slope $(, $wide_slope)?); } )*
                Operator::Power(n) => power_slope(x, n, out),
                _ => unreachable!("{operator:?} takes two arguments"),
            }
            scale(adjoint, out);
        }

        /// Writes `operator(a, b)` to `out`, row by row.
        #[inline(always)]
        pub fn binary<const FMA: bool, A: Rows, B: Rows>(operator: Operator, a: A, b: B, out: &mut [f64]) {
            match operator {
                $( Operator::$binary => {
                    let out = whole_mut(out);
                    let (a, b) = (a.head(out.len()), b.head(out.len()));
                    for (i, o) in out.iter_mut().enumerate() {
                        let ($a, $b) = (a.at(i), b.at(i));
                        *o = $binary_value;
                    }
                } )*
                _ => unreachable!("{operator:?} takes one argument"),
            }
        }

        /// Writes `adjoint * d operator / d a` to `out` (or the derivative by b when `SECOND`).
        #[inline(always)]
        pub fn binary_slope<const FMA: bool, const SECOND: bool, A: Rows, B: Rows>(
            operator: Operator, a: A, b: B, v: &[f64], adjoint: &[f64], out: &mut [f64],
        ) {
            match operator {
                $( Operator::$binary => {
                    let out = whole_mut(out);
                    let (a, b, v, adjoint) = (a.head(out.len()), b.head(out.len()), v.head(out.len()), adjoint.head(out.len()));
                    for (i, o) in out.iter_mut().enumerate() {
                        let ($pa, $pb, $pv) = (a.at(i), b.at(i), v[i]);
                        *o = adjoint[i] * if SECOND { $slope_b } else { $slope_a };
                    }
                } )*
                _ => unreachable!("{operator:?} takes one argument"),
            }
        }
    };
}

operators! {
    unary {
        Neg "neg"
            value |x| -x;
            slope |_x, _v| -1.0;
            range |r| r.falling(|v| -v);
        Sin "sin"
            value |x| math::sin::<FMA>(x), wide math::sin_wide;
            slope |x, _v| math::cos::<FMA>(x), wide math::cos_wide;
            range |r| r.sin();
        Cos "cos"
            value |x| math::cos::<FMA>(x), wide math::cos_wide;
            slope |x, _v| -math::sin::<FMA>(x), wide |x| -math::sin_wide(x);
            range |r| r.cos();
        Exp "exp"
            value |x| math::exp::<FMA>(x);
            slope |_x, v| v;
            range |r| r.rising(f64::exp);
        Logistic "logistic"
            value |x| math::logistic::<FMA>(x);
            slope |_x, v| v * (v - 1.0);
            range |r| r.falling(|v| 1.0 / (1.0 + v.exp()));
        Tanh "tanh"
            value |x| math::tanh::<FMA>(x);
            slope |_x, v| (1.0 - v) * (1.0 + v);
            range |r| r.rising(f64::tanh);
        Sinc "sinc"
            value |x| math::sinc::<FMA>(x), wide |x| math::sin_wide(x) / x;
            slope |x, v| if x.abs() < 1e-4 { -x / 3.0 } else { (math::cos::<FMA>(x) - v) / x }, wide |x| (math::cos_wide(x) - math::sin_wide(x) / x) / x;
            range |r| r.sinc();
        Softplus "softplus"
            value |x| math::softplus::<FMA>(x);
            slope |x, _v| math::logistic::<FMA>(-x);
            range |r| r.rising(|v| v.max(0.0) + (-v.abs()).exp().ln_1p());
        Gauss "gauss"
            value |x| math::gauss::<FMA>(x);
            slope |x, v| if x.abs() < 1e154 { -2.0 * x * v } else { 0.0 };
            range |r| r.gauss();
        Log "log"
            value |x| math::log::<FMA>(x);
            slope |x, _v| 1.0 / x;
            range |r| if r.low > 0.0 { r.rising(f64::ln) } else { Interval::UNDEFINED };
        Sqrt "sqrt"
            value |x| x.sqrt();
            slope |_x, v| 0.5 / v;
            range |r| if r.low >= 0.0 { r.rising(f64::sqrt) } else { Interval::UNDEFINED };
        Abs "abs"
            value |x| x.abs();
            slope |x, _v| sign(x);
            range |r| r.abs();
        Inv "inv"
            value |x| 1.0 / x;
            slope |_x, v| -v * v;
            range |r| r.inverse();
        Atan "atan"
            value |x| math::atan::<FMA>(x);
            slope |x, _v| 1.0 / (1.0 + x * x);
            range |r| r.rising(f64::atan);
        Erf "erf"
            value |x| math::erf::<FMA>(x);
            slope |x, _v| std::f64::consts::FRAC_2_SQRT_PI * math::gauss::<FMA>(x);
            range |r| r.rising(libm::erf);
        Bent "bent"
            value |x| 0.5 * ((x * x + 1.0).sqrt() - 1.0) + x;
            slope |x, _v| 0.5 * x / (x * x + 1.0).sqrt() + 1.0;
            range |r| r.rising(|v| 0.5 * ((v * v + 1.0).sqrt() - 1.0) + v);
        Sign "sign"
            value |x| sign(x);
            slope |x, _v| if x.is_nan() { x } else { 0.0 };
            range |r| r.rising(sign);
    }
    binary {
        Add "add" Notation::Infix("+", 1);
            value |a, b| a + b;
            slopes |_a, _b, _v| 1.0, 1.0;
            range |a, b| a.add(b);
        Sub "sub" Notation::Infix("-", 1);
            value |a, b| a - b;
            slopes |_a, _b, _v| 1.0, -1.0;
            range |a, b| a.sub(b);
        Mul "mul" Notation::Infix("*", 2);
            value |a, b| a * b;
            slopes |a, b, _v| b, a;
            range |a, b| a.mul(b);
        Div "div" Notation::Infix("/", 2);
            value |a, b| a / b;
            slopes |_a, b, v| 1.0 / b, -v / b;
            range |a, b| a.mul(b.inverse());
        Aq "aq" Notation::Call;
            value |a, b| a / (1.0 + b * b).sqrt();
            slopes |_a, b, v| 1.0 / (1.0 + b * b).sqrt(), -v * b / (1.0 + b * b);
            range |a, b| a.mul(b.abs().falling(|v| 1.0 / (1.0 + v * v).sqrt()));
        Min "min" Notation::Call;
            value |a, b| if a < b || a.is_nan() { a } else { b };
            slopes |a, b, _v| if a < b { 1.0 } else { 0.0 }, if a < b { 0.0 } else { 1.0 };
            range |a, b| a.min(b);
        Max "max" Notation::Call;
            value |a, b| if a > b || a.is_nan() { a } else { b };
            slopes |a, b, _v| if a > b { 1.0 } else { 0.0 }, if a > b { 0.0 } else { 1.0 };
            range |a, b| a.max(b);
    }
}

impl Operator {
    /// The sixteen functions of the paper (section 4.2), in its order.
    pub const PAPER: [Self; 16] = [
        Self::Add,
        Self::Sub,
        Self::Mul,
        Self::Sin,
        Self::Cos,
        Self::Exp,
        Self::Logistic,
        Self::Tanh,
        Self::Sinc,
        Self::Softplus,
        Self::Gauss,
        Self::Power(2),
        Self::Power(3),
        Self::Power(4),
        Self::Power(5),
        Self::Power(6),
    ];

    /// Does the size of its one argument change more than a factor or an addend of its value?
    pub fn depends_on_scale(self) -> bool {
        use Operator::*;
        self.arity() == 1 && !matches!(self, Neg | Log | Sqrt | Abs | Inv | Sign | Power(_))
    }

    /// The operator of this name: `sin`, `add` or `+`, `pow3`, `square`, `cube`.
    pub fn parse(name: &str) -> Option<Self> {
        let by_alias = match name {
            "square" => Some(Self::Power(2)),
            "cube" => Some(Self::Power(3)),
            "ln" => Some(Self::Log),
            _ => None,
        };
        by_alias
            .or_else(|| {
                Self::ALL
                    .iter()
                    .copied()
                    .find(|op| op.name() == name || op.symbol() == Some(name))
            })
            .or_else(|| {
                let n: i8 = name.strip_prefix("pow")?.parse().ok()?;
                Self::power(i32::from(n))
            })
    }

    /// `x**n`, when n is a whole number this table knows.
    pub fn power(n: i32) -> Option<Self> {
        let known = n.abs() <= i32::from(MAX_POWER) && n != 0 && n != 1;
        known.then_some(Self::Power(n as i8))
    }

    /// The sign written between the arguments, if any.
    pub fn symbol(self) -> Option<&'static str> {
        match self.notation() {
            Notation::Infix(symbol, _) => Some(symbol),
            _ => None,
        }
    }
}

/// -1, 0 or 1; NaN stays NaN.
#[inline(always)]
fn sign(x: f64) -> f64 {
    let s = if x > 0.0 { 1.0 } else { 0.0 } - if x < 0.0 { 1.0 } else { 0.0 };
    if x.is_nan() { x } else { s }
}

/// x**n: the paper's powers unrolled, others by squaring.
#[inline(always)]
fn power(x: &[f64], n: i8, out: &mut [f64]) {
    match n {
        2 => sweep!(x, out; |x| x * x),
        3 => sweep!(x, out; |x| x * x * x),
        4 => sweep!(x, out; |x| {
            let s = x * x;
            s * s
        }),
        5 => sweep!(x, out; |x| {
            let s = x * x;
            s * s * x
        }),
        6 => sweep!(x, out; |x| {
            let s = x * x * x;
            s * s
        }),
        _ => sweep!(x, out; |x| whole_power(x, n)),
    }
}

/// n·x**(n-1).
#[inline(always)]
fn power_slope(x: &[f64], n: i8, out: &mut [f64]) {
    match n {
        2 => sweep!(x, out; |x| 2.0 * x),
        3 => sweep!(x, out; |x| 3.0 * x * x),
        _ => {
            let factor = f64::from(n);
            sweep!(x, out; |x| factor * whole_power(x, n - 1));
        }
    }
}

/// x**n by repeated squaring; the bits of n are the same in every row, so the loop still vectorises.
#[inline(always)]
fn whole_power(x: f64, n: i8) -> f64 {
    let mut result = 1.0;
    let mut square = x;
    let mut bits = n.unsigned_abs();
    while bits > 0 {
        if bits & 1 == 1 {
            result *= square;
        }
        square *= square;
        bits >>= 1;
    }
    if n < 0 { 1.0 / result } else { result }
}
