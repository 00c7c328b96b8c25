//! Contains panics: a panic costs only the line or the instruction that caused it.

use affinor::text::{Error, ErrorKind};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};

thread_local! {
    /// Nesting depth of contained work.
    static CONTAINED: Cell<u32> = const { Cell::new(0) };
    /// Location of the last panic in contained work.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `work` and turns a panic into an error.
///
/// Data borrowed by `work` may be inconsistent after a panic: the caller must discard it.
///
/// # Errors
/// [`ErrorKind::Internal`] for a panic.
pub fn contained<T>(work: impl FnOnce() -> T) -> Result<T, Error> {
    CONTAINED.set(CONTAINED.get() + 1);
    let result = catch_unwind(AssertUnwindSafe(work));
    CONTAINED.set(CONTAINED.get() - 1);
    result.map_err(|panic| internal(panic.as_ref()))
}

/// Silences contained panics, which are reported as errors. Others are reported as before.
pub fn quiet_contained_panics() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic: &PanicHookInfo<'_>| {
        if CONTAINED.get() == 0 {
            return before(panic);
        }
        let place = panic.location().map(ToString::to_string);
        PLACE.with_borrow_mut(|kept| *kept = place);
    }));
}

fn internal(panic: &(dyn Any + Send)) -> Error {
    let message = panic.downcast_ref::<&str>().map(|message| (*message).to_owned());
    let message = message.or_else(|| panic.downcast_ref::<String>().cloned());
    let message = message.unwrap_or_else(|| "no message".to_owned());
    let place = PLACE.take().map_or(String::new(), |at| format!(" at {at}"));
    Error::without_span(ErrorKind::Internal, format!("internal error{place}: {message}"))
        .hint("this is a bug in affinor: please report it with the input that causes it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_and_the_next_piece_of_work_is_done() {
        assert_eq!(contained(|| 7), Ok(7));
        for nested in [false, true] {
            let error = contained(|| match nested {
                true => contained(|| 1).map(|one| panic!("{one} too many")),
                false => panic!("one too many"),
            })
            .and_then(|inner: Result<u8, Error>| inner)
            .expect_err("it panics");
            assert_eq!(error.kind, ErrorKind::Internal);
            assert!(error.message.starts_with("internal error"), "{error}");
            let said = if nested { "1 too many" } else { "one too many" };
            assert!(error.message.ends_with(said), "{error}");
        }
        assert_eq!(contained(|| 7), Ok(7));
    }
}
