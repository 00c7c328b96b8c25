//! Terms, and the context that owns them.

use crate::functions::{Functions, Made, Object};
use crate::{Missing, library};
use std::ffi::{CStr, CString, c_char, c_int};
use std::marker::PhantomData;
use std::ptr;

/// The environment of a query; queries in other contexts have no effect on it.
///
/// An error that Z3 reports, such as a sum of truth values, is a panic with Z3's words.
#[derive(Debug)]
pub struct Context {
    pub(crate) z3: &'static Functions,
    pub(crate) raw: Object,
    integers: Object,
}

/// An integer or a truth value. It lives as long as its context.
#[derive(Clone, Copy, Debug)]
pub struct Term<'c> {
    context: &'c Context,
    raw: Object,
}

/// Stops a running [`crate::Solver::check`] from another thread.
#[derive(Clone, Copy, Debug)]
pub struct Interrupter<'c> {
    z3: &'static Functions,
    raw: Object,
    context: PhantomData<&'c Context>,
}

// SAFETY: `Z3_interrupt` is the one function that may be called while another thread uses the context, and the lifetime
// keeps the context.
unsafe impl Send for Interrupter<'_> {}
// SAFETY: as above.
unsafe impl Sync for Interrupter<'_> {}

impl Interrupter<'_> {
    /// Interrupts the running check, if any.
    pub fn interrupt(&self) {
        // SAFETY: see above.
        unsafe { (self.z3.Z3_interrupt)(self.raw) }
    }
}

impl Context {
    /// Creates a context with Z3's defaults.
    ///
    /// # Errors
    /// No libz3 was found.
    pub fn new() -> Result<Context, &'static Missing> {
        let z3 = library()?;
        // SAFETY: a configuration is made, used and given back; the context is given back when it is dropped.
        let made = unsafe {
            let configuration = (z3.Z3_mk_config)();
            configuration.and_then(|configuration| {
                let context = (z3.Z3_mk_context_rc)(configuration);
                (z3.Z3_del_config)(configuration);
                let context = context?;
                // Errors are checked after each call: Z3's own handler would terminate the process.
                (z3.Z3_set_error_handler)(context, None);
                let integers = (z3.Z3_mk_int_sort)(context)?;
                (z3.Z3_inc_ref)(context, integers);
                Some((context, integers))
            })
        };
        let (raw, integers) = made.expect("Z3 makes a context while there is memory");
        Ok(Context { z3, raw, integers })
    }

    /// Returns a handle to stop a check from another thread.
    #[must_use]
    pub fn interrupter(&self) -> Interrupter<'_> {
        Interrupter { z3: self.z3, raw: self.raw, context: PhantomData }
    }

    /// Returns the unknown integer with this number.
    #[must_use]
    pub fn unknown(&self, number: u32) -> Term<'_> {
        let number = c_int::try_from(number).expect("fewer unknowns than 2^31");
        // SAFETY: the symbol and the sort are of this context.
        self.term(unsafe {
            let name = (self.z3.Z3_mk_int_symbol)(self.raw, number);
            name.and_then(|name| (self.z3.Z3_mk_const)(self.raw, name, self.integers))
        })
    }

    /// Returns the unknown integer with this name.
    #[must_use]
    pub fn named(&self, name: &str) -> Term<'_> {
        let name = self.symbol(name);
        // SAFETY: the symbol and the sort are of this context.
        self.term(unsafe { (self.z3.Z3_mk_const)(self.raw, name, self.integers) })
    }

    /// Returns an integer constant.
    #[must_use]
    pub fn integer(&self, value: i64) -> Term<'_> {
        // SAFETY: the sort is of this context.
        self.term(unsafe { (self.z3.Z3_mk_int64)(self.raw, value, self.integers) })
    }

    /// Returns the sum of one or more integers.
    #[must_use]
    pub fn sum<'c>(&'c self, parts: &[Term<'c>]) -> Term<'c> {
        self.of_many(self.z3.Z3_mk_add, parts)
    }

    /// Returns the conjunction of all parts.
    #[must_use]
    pub fn all<'c>(&'c self, parts: &[Term<'c>]) -> Term<'c> {
        self.of_many(self.z3.Z3_mk_and, parts)
    }

    /// Returns the disjunction of all parts.
    #[must_use]
    pub fn any<'c>(&'c self, parts: &[Term<'c>]) -> Term<'c> {
        self.of_many(self.z3.Z3_mk_or, parts)
    }

    /// States that `body` holds for all values of the unknowns.
    #[must_use]
    pub fn for_all<'c>(&'c self, unknowns: &[Term<'c>], body: Term<'c>) -> Term<'c> {
        if unknowns.is_empty() {
            return body;
        }
        let (unknowns, body) = (self.objects(unknowns), self.object(body));
        // SAFETY: the terms are of this context; there are no patterns.
        self.term(unsafe {
            let count = unknowns.len() as u32;
            let none = ptr::null();
            (self.z3.Z3_mk_forall_const)(self.raw, 0, count, unknowns.as_ptr(), 0, none, body)
        })
    }

    fn of_many<'c>(
        &'c self,
        make: unsafe extern "C" fn(Object, u32, *const Object) -> Made,
        parts: &[Term<'c>],
    ) -> Term<'c> {
        let parts = self.objects(parts);
        // SAFETY: the terms are of this context, and their number is passed with them.
        self.term(unsafe { make(self.raw, parts.len() as u32, parts.as_ptr()) })
    }

    fn objects(&self, terms: &[Term<'_>]) -> Vec<Object> {
        terms.iter().map(|term| self.object(*term)).collect()
    }

    /// Returns Z3's object for a term; panics if the term belongs to another context.
    pub(crate) fn object(&self, term: Term<'_>) -> Object {
        assert!(self.raw == term.context.raw, "a term of another context");
        term.raw
    }

    /// Wraps an object made by Z3 as a term, which Z3 keeps until it deletes the context.
    fn term(&self, made: Made) -> Term<'_> {
        let raw = self.made(made);
        // SAFETY: the term is of this context.
        unsafe { (self.z3.Z3_inc_ref)(self.raw, raw) };
        Term { context: self, raw }
    }

    pub(crate) fn symbol(&self, name: &str) -> Object {
        let name = c_string(name);
        // SAFETY: the text ends with a zero; Z3 copies it.
        self.made(unsafe { (self.z3.Z3_mk_string_symbol)(self.raw, name.as_ptr()) })
    }

    pub(crate) fn made(&self, made: Made) -> Object {
        self.no_error();
        made.expect("Z3 returns an object, or reports an error")
    }

    /// Panics if the last call failed.
    #[track_caller]
    pub(crate) fn no_error(&self) {
        // SAFETY: both only read.
        let words = unsafe {
            match (self.z3.Z3_get_error_code)(self.raw) {
                0 => return,
                code => text((self.z3.Z3_get_error_msg)(self.raw, code)),
            }
        };
        panic!("Z3 reports: {words}");
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: terms and solvers borrow the context, so none is left.
        unsafe { (self.z3.Z3_del_context)(self.raw) }
    }
}

impl<'c> Term<'c> {
    /// Returns the product of two integers.
    #[must_use]
    pub fn times(self, other: Term<'c>) -> Term<'c> {
        self.context.of_many(self.context.z3.Z3_mk_mul, &[self, other])
    }

    /// States that the values are equal.
    #[must_use]
    pub fn equal(self, other: Term<'c>) -> Term<'c> {
        self.with(self.context.z3.Z3_mk_eq, other)
    }

    /// States that the integer is at most the other.
    #[must_use]
    pub fn at_most(self, other: Term<'c>) -> Term<'c> {
        self.with(self.context.z3.Z3_mk_le, other)
    }

    /// States that the integer is at least the other.
    #[must_use]
    pub fn at_least(self, other: Term<'c>) -> Term<'c> {
        self.with(self.context.z3.Z3_mk_ge, other)
    }

    /// Returns the negation.
    #[must_use]
    pub fn negated(self) -> Term<'c> {
        let context = self.context;
        // SAFETY: the term is of this context.
        context.term(unsafe { (context.z3.Z3_mk_not)(context.raw, self.raw) })
    }

    fn with(
        self,
        make: unsafe extern "C" fn(Object, Object, Object) -> Made,
        other: Term<'c>,
    ) -> Term<'c> {
        let context = self.context;
        let other = context.object(other);
        // SAFETY: both terms are of this context.
        context.term(unsafe { make(context.raw, self.raw, other) })
    }
}

/// Returns the text in Z3's memory, or an empty text if the pointer is null.
///
/// # Safety
/// The pointer must be null or point to a text that ends with a zero.
pub(crate) unsafe fn text(text: *const c_char) -> String {
    match text.is_null() {
        true => String::new(),
        // SAFETY: as above.
        false => unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned(),
    }
}

pub(crate) fn c_string(text: &str) -> CString {
    CString::new(text).expect("a text for Z3 has no zero byte")
}
