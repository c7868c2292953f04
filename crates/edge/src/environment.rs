//! The environment of this process as it was at its start. What is not UTF-8 is replaced.

use std::borrow::Cow;
#[cfg(target_os = "linux")]
use std::ffi::CStr;

use model::Environment;
#[cfg(target_os = "linux")]
use text::utf8;

/// A variable.
#[cfg(target_os = "linux")]
pub fn variable(name: &str) -> Option<Cow<'static, str>> {
    crate::sys::variable(name).map(|text| utf8::lossy(text.to_bytes()))
}

/// All variables.
#[cfg(target_os = "linux")]
pub fn all() -> Environment {
    crate::sys::environment().map(CStr::to_bytes).collect()
}

/// A variable.
#[cfg(not(target_os = "linux"))]
pub fn variable(name: &str) -> Option<Cow<'static, str>> {
    let value = std::env::var_os(name)?;
    Some(Cow::Owned(value.to_string_lossy().into_owned()))
}

/// All variables.
#[cfg(not(target_os = "linux"))]
pub fn all() -> Environment {
    let lossy = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
    let variables = std::env::vars_os();
    let variables = variables.map(|(name, value)| (lossy(name), lossy(value)));
    variables.collect::<Vec<(String, String)>>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_what_std_says_it_is() {
        let all = all();
        let mut count = 0;
        for (name, value) in std::env::vars_os() {
            let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
            assert_eq!(variable(&name).as_deref(), Some(&*value), "{name}");
            assert_eq!(all.get(&name), Some(&*value), "{name}");
            count += 1;
        }
        assert!(count > 0);
        for name in ["", "TOLLGATE_NO_SUCH_VARIABLE", "PAT", "PATH\0"] {
            assert_eq!(variable(name), None, "{name:?}");
        }
    }
}
