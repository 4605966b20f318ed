//! Which vector instructions to use, and the macro that builds one function per choice.
//!
//! A kernel is written once, as an `#[inline(always)]` generic function over `const FMA: bool`;
//! [`dispatch!`](crate::dispatch) compiles it for every [`Level`] and puts a safe function in front that picks one.

use std::sync::OnceLock;

/// A set of vector instructions, from the narrowest to the widest.
///
/// `Plain` is what the target always has: SSE2 on x86-64, NEON with fused multiply-add on aarch64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The target's baseline.
    Plain,
    /// AVX2 and FMA: four doubles at once.
    Avx2,
    /// AVX-512 (F, DQ, VL, BW) and FMA: eight doubles at once.
    Avx512,
}

impl Level {
    /// Whether the baseline of the target has a fused multiply-add instruction, so that `Plain` may use it.
    pub const PLAIN_FMA: bool = cfg!(any(target_arch = "aarch64", target_feature = "fma"));

    /// The widest level this machine has. The machine is asked once per process.
    #[must_use]
    pub fn detect() -> Self {
        static WIDEST: OnceLock<Level> = OnceLock::new();
        *WIDEST.get_or_init(Self::ask_the_machine)
    }

    /// All levels this machine has, narrowest first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        [Self::Plain, Self::Avx2, Self::Avx512]
            .into_iter()
            .filter(|level| *level <= Self::detect())
            .collect()
    }

    /// This level if the machine has it, else the widest that it has.
    ///
    /// [`dispatch!`](crate::dispatch) calls it before it enters code with wider instructions, which is what makes
    /// its front functions safe for any `Level` value.
    #[inline]
    #[must_use]
    pub fn supported(self) -> Self {
        self.min(Self::detect())
    }

    #[cfg(target_arch = "x86_64")]
    fn ask_the_machine() -> Self {
        let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        let avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512bw");
        match (avx2, avx512) {
            (true, true) => Self::Avx512,
            (true, false) => Self::Avx2,
            (false, _) => Self::Plain,
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn ask_the_machine() -> Self {
        Self::Plain
    }
}

/// Compiles a kernel for every [`Level`](crate::vector_math::Level) behind one safe function.
///
/// The kernel is any `#[inline(always)]` function generic over `const FMA: bool`, whose loops are plain loops over
/// slices without branches in the body. The generated function takes a `Level` first, then the kernel's arguments:
///
/// ```
/// use multigene_core::dispatch;
/// use multigene_core::vector_math::{Level, exp};
///
/// #[inline(always)]
/// fn add_exp_kernel<const FMA: bool>(x: &[f64], sum: &mut [f64]) {
///     for (s, &v) in sum.iter_mut().zip(x) {
///         *s += exp::<FMA>(v);
///     }
/// }
///
/// dispatch! {
///     /// Adds e^x to `sum`, element by element.
///     pub fn add_exp(x: &[f64], sum: &mut [f64]) = add_exp_kernel;
/// }
///
/// let mut sum = [1.0, 2.0];
/// add_exp(Level::detect(), &[0.0, 0.0], &mut sum);
/// assert_eq!(sum, [2.0, 3.0]);
/// ```
///
/// A return type is allowed (`fn total(x: &[f64]) -> f64 = total_kernel;`), and so are several functions in one call;
/// further generic parameters of the kernel follow after commas (`= kernel, _, true;`).
/// Every helper the kernel calls must be `#[inline(always)]` too: a call that stays a call is compiled for the
/// baseline, and `f64::mul_add` in it becomes a slow library call.
#[macro_export]
macro_rules! dispatch {
    ($(
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident($($argument:ident: $kind:ty),* $(,)?) $(-> $result:ty)? = $($kernel:ident)::+ $(, $generic:tt)*;
    )*) => {$(
        $(#[$attribute])*
        $visibility fn $name(level: $crate::vector_math::Level, $($argument: $kind),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
                fn avx512($($argument: $kind),*) $(-> $result)? {
                    $($kernel)::+::<true $(, $generic)*>($($argument),*)
                }
                #[target_feature(enable = "avx2,fma")]
                fn avx2($($argument: $kind),*) $(-> $result)? {
                    $($kernel)::+::<true $(, $generic)*>($($argument),*)
                }
                match level.supported() {
                    // SAFETY: `supported` never returns a level that this machine lacks.
                    $crate::vector_math::Level::Avx512 => return unsafe { avx512($($argument),*) },
                    // SAFETY: as above.
                    $crate::vector_math::Level::Avx2 => return unsafe { avx2($($argument),*) },
                    $crate::vector_math::Level::Plain => {}
                }
            }
            let _ = level;
            $($kernel)::+::<{ $crate::vector_math::Level::PLAIN_FMA } $(, $generic)*>($($argument),*)
        }
    )*};
}
