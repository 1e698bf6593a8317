#pragma once

/// Names for clang's thread-safety analysis; empty for other compilers.
#if defined(__clang__)
#define WEIR_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define WEIR_THREAD_ANNOTATION(x)
#endif

#define WEIR_CAPABILITY(name) WEIR_THREAD_ANNOTATION(capability(name))
#define WEIR_SCOPED_CAPABILITY WEIR_THREAD_ANNOTATION(scoped_lockable)
#define WEIR_GUARDED_BY(lock) WEIR_THREAD_ANNOTATION(guarded_by(lock))
#define WEIR_REQUIRES(...) WEIR_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define WEIR_EXCLUDES(...) WEIR_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
#define WEIR_ACQUIRE(...) WEIR_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define WEIR_RELEASE(...) WEIR_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define WEIR_NO_THREAD_SAFETY_ANALYSIS WEIR_THREAD_ANNOTATION(no_thread_safety_analysis)
