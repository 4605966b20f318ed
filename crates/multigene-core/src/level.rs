//! Run-time choice of the vector width: the same kernel compiled for each, the widest one of the machine taken.

/// Vector instructions a kernel is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// 512-bit vectors with fused multiply-add (x86-64).
    Avx512,
    /// 256-bit vectors with fused multiply-add (x86-64).
    Avx2,
    /// What every machine of the target has: SSE2 on x86-64, NEON on ARM.
    Plain,
}

impl Level {
    /// All levels this machine can run, widest first.
    pub fn available() -> Vec<Self> {
        #[allow(unused_mut)]
        let mut levels = vec![Self::Plain];
        #[cfg(target_arch = "x86_64")]
        {
            let fused = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            if fused {
                levels.insert(0, Self::Avx2);
            }
            let wide = ["avx512f", "avx512dq", "avx512vl", "avx512bw"];
            let has = |name: &str| match name {
                "avx512f" => is_x86_feature_detected!("avx512f"),
                "avx512dq" => is_x86_feature_detected!("avx512dq"),
                "avx512vl" => is_x86_feature_detected!("avx512vl"),
                _ => is_x86_feature_detected!("avx512bw"),
            };
            if fused && wide.iter().all(|name| has(name)) {
                levels.insert(0, Self::Avx512);
            }
        }
        levels
    }

    /// The widest level of this machine.
    pub fn detect() -> Self {
        Self::available()[0]
    }
}

/// Compiles `kernel::<FMA, …>` for every level and gives it a safe front `name(level, …)`.
macro_rules! at_every_level {
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $result:ty)? = $kernel:ident $(, $generic:tt)*) => {
        $(#[$meta])*
        $vis fn $name(level: $crate::level::Level, $($arg: $type),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
            fn avx512($($arg: $type),*) $(-> $result)? {
                $kernel::<true $(, $generic)*>($($arg),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            fn avx2($($arg: $type),*) $(-> $result)? {
                $kernel::<true $(, $generic)*>($($arg),*)
            }
            match level {
                // SAFETY: `Level::available` names a level only after the machine said that it has these instructions.
                #[cfg(target_arch = "x86_64")]
                $crate::level::Level::Avx512 => unsafe { avx512($($arg),*) },
                #[cfg(target_arch = "x86_64")]
                $crate::level::Level::Avx2 => unsafe { avx2($($arg),*) },
                // ARM always fuses; SSE2 does not.
                _ => $kernel::<{ cfg!(target_arch = "aarch64") } $(, $generic)*>($($arg),*),
            }
        }
    };
}
pub(crate) use at_every_level;
