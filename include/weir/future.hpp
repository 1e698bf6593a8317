#pragma once

/// Everything about results: `task_ref` and `future` (weir/detail/plain_future.hpp), and what has a
/// header of its own below.

#include "weir/completion_queue.hpp"
#include "weir/detail/plain_future.hpp"
#include "weir/promise.hpp"
#include "weir/shared_future.hpp"
#include "weir/when.hpp"
