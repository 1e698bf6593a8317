#pragma once

/// The version of weir that these headers belong to. The build reads it from here.
#define WEIR_VERSION_MAJOR 0
#define WEIR_VERSION_MINOR 1
#define WEIR_VERSION_PATCH 0

/// The same as one number for comparisons: major * 10000 + minor * 100 + patch.
#define WEIR_VERSION (WEIR_VERSION_MAJOR * 10000 + WEIR_VERSION_MINOR * 100 + WEIR_VERSION_PATCH)

/// The same as text.
#define WEIR_VERSION_STRING "0.1.0"
