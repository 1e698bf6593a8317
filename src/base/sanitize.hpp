#pragma once

/// For functions that catch `abi::__forced_unwind&`: g++ binds a null reference to that foreign
/// exception, which -fsanitize=null takes for a fault of ours. The reference is never used.
#define WEIR_NO_SANITIZE_NULL __attribute__((no_sanitize("null")))
