//! Kinds of faults with names, for command lines and reports.

/// Declares an enum whose variants have names, in order, and the error of an unknown name.
macro_rules! named_faults {
    (
        $(#[$about:meta])* $kind_vis:vis enum $Kind:ident { $($(#[$doc:meta])* $Name:ident = $name:literal,)* }
        $(#[$unknown_about:meta])* $unknown_vis:vis struct $Unknown:ident($what:literal);
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        $kind_vis enum $Kind {
            $($(#[$doc])* $Name,)*
        }

        impl $Kind {
            const NAMES: &[($Kind, &str)] = &[$(($Kind::$Name, $name)),*];

            /// Number of faults.
            pub const COUNT: usize = Self::NAMES.len();

            /// Returns all faults, in the order of declaration.
            pub fn all() -> impl Iterator<Item = $Kind> {
                Self::NAMES.iter().map(|(fault, _)| *fault)
            }

            /// Returns the name used on command lines, in summaries and in the truth.
            pub fn as_str(self) -> &'static str {
                Self::NAMES[self as usize].1
            }
        }

        impl std::fmt::Display for $Kind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        $(#[$unknown_about])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        $unknown_vis struct $Unknown(pub String);

        impl std::fmt::Display for $Unknown {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let names: Vec<&str> = $Kind::all().map($Kind::as_str).collect();
                write!(f, concat!($what, " is called {:?}; there are {}"), self.0, names.join(", "))
            }
        }

        impl std::error::Error for $Unknown {}

        impl std::str::FromStr for $Kind {
            type Err = $Unknown;

            fn from_str(text: &str) -> Result<$Kind, $Unknown> {
                $Kind::all().find(|fault| fault.as_str() == text).ok_or_else(|| $Unknown(text.to_string()))
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use crate::faults::Fault;
    use crate::line_faults::LineFault;

    #[test]
    fn fault_names_roundtrip() {
        assert!(Fault::all().all(|fault| fault.as_str().parse() == Ok(fault)));
        assert!(LineFault::all().all(|fault| fault.as_str().parse() == Ok(fault)));
        assert!("earthquake".parse::<Fault>().unwrap_err().to_string().contains("slide"));
        assert!("rain".parse::<LineFault>().unwrap_err().to_string().contains("wrong-checksum"));
    }
}
