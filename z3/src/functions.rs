//! The functions of libz3 that are called, as declared in `z3_api.h` of Z3 5.3.
//!
//! None of them takes or returns an enumeration that differs between versions, such as `Z3_decl_kind`.

use libloading::Library;
use std::ffi::{c_char, c_double, c_int, c_uint, c_void};
use std::ptr::NonNull;

/// An object of Z3: a context, a term, a solver. The function that takes it determines its kind.
pub(crate) type Object = NonNull<c_void>;

/// An object, or null if Z3 encountered an error.
pub(crate) type Made = Option<Object>;

macro_rules! functions {
    ($($name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions of a loaded libz3.
        #[allow(non_snake_case, reason = "the names are those of the C interface")]
        #[derive(Debug)]
        pub(crate) struct Functions {
            $(pub(crate) $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
            /// Keeps the functions loaded.
            _library: Library,
        }

        impl Functions {
            /// Looks up all functions.
            ///
            /// # Safety
            /// The library must be a libz3.
            pub(crate) unsafe fn of(library: Library) -> Result<Functions, libloading::Error> {
                Ok(Functions {
                    // SAFETY: a libz3 has functions of these names with these types.
                    $($name: *unsafe { library.get(stringify!($name))? },)*
                    _library: library,
                })
            }
        }
    };
}

functions! {
    Z3_get_version(*mut c_uint, *mut c_uint, *mut c_uint, *mut c_uint);
    Z3_mk_config() -> Made;
    Z3_del_config(Object);
    Z3_mk_context_rc(Object) -> Made;
    Z3_del_context(Object);
    Z3_set_error_handler(Object, Made);
    Z3_get_error_code(Object) -> c_int;
    Z3_get_error_msg(Object, c_int) -> *const c_char;
    Z3_interrupt(Object);
    Z3_inc_ref(Object, Object);
    Z3_mk_int_symbol(Object, c_int) -> Made;
    Z3_mk_string_symbol(Object, *const c_char) -> Made;
    Z3_mk_int_sort(Object) -> Made;
    Z3_mk_const(Object, Object, Object) -> Made;
    Z3_mk_int64(Object, i64, Object) -> Made;
    Z3_mk_add(Object, c_uint, *const Object) -> Made;
    Z3_mk_mul(Object, c_uint, *const Object) -> Made;
    Z3_mk_eq(Object, Object, Object) -> Made;
    Z3_mk_le(Object, Object, Object) -> Made;
    Z3_mk_ge(Object, Object, Object) -> Made;
    Z3_mk_and(Object, c_uint, *const Object) -> Made;
    Z3_mk_or(Object, c_uint, *const Object) -> Made;
    Z3_mk_not(Object, Object) -> Made;
    Z3_mk_forall_const(Object, c_uint, c_uint, *const Object, c_uint, *const Object, Object) -> Made;
    Z3_get_numeral_int64(Object, Object, *mut i64) -> bool;
    Z3_mk_solver(Object) -> Made;
    Z3_mk_solver_for_logic(Object, Object) -> Made;
    Z3_solver_inc_ref(Object, Object);
    Z3_solver_dec_ref(Object, Object);
    Z3_solver_set_params(Object, Object, Object);
    Z3_solver_from_string(Object, Object, *const c_char);
    Z3_solver_assert(Object, Object, Object);
    Z3_solver_push(Object, Object);
    Z3_solver_pop(Object, Object, c_uint);
    Z3_solver_check(Object, Object) -> c_int;
    Z3_solver_get_reason_unknown(Object, Object) -> *const c_char;
    Z3_solver_get_model(Object, Object) -> Made;
    Z3_model_inc_ref(Object, Object);
    Z3_model_dec_ref(Object, Object);
    Z3_model_eval(Object, Object, Object, bool, *mut Made) -> bool;
    Z3_mk_params(Object) -> Made;
    Z3_params_inc_ref(Object, Object);
    Z3_params_dec_ref(Object, Object);
    Z3_params_set_uint(Object, Object, Object, c_uint);
    Z3_params_set_bool(Object, Object, Object, bool);
    Z3_solver_get_statistics(Object, Object) -> Made;
    Z3_stats_inc_ref(Object, Object);
    Z3_stats_dec_ref(Object, Object);
    Z3_stats_size(Object, Object) -> c_uint;
    Z3_stats_get_key(Object, Object, c_uint) -> *const c_char;
    Z3_stats_is_uint(Object, Object, c_uint) -> bool;
    Z3_stats_get_uint_value(Object, Object, c_uint) -> c_uint;
    Z3_stats_get_double_value(Object, Object, c_uint) -> c_double;
}
