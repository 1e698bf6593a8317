#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "weir/cron.hpp"
#include "weir/thread_pool.hpp"

namespace weir {

/// Runs `f` on the pool at the times of a cron expression in a time zone: what `submit_on` says
/// holds. Throws `cron_error` for an expression or a zone that means nothing, and what `submit_on`
/// throws.
template <class F>
requires detail::recurring_body<std::decay_t<F>> series
submit_cron(thread_pool& pool, std::string_view expression, std::string_view zone, F&& f,
            const cron_options& when = {}, const series_options& how = {}) {
  return pool.submit_on(std::make_shared<cron>(expression, zone, when), std::forward<F>(f), how);
}

/// The same by `try_submit_on`, which reports a refusal and keeps the callable with the caller. An
/// expression that means nothing is a bad argument and throws here as well.
template <class F>
requires detail::recurring_body<std::decay_t<F>> series_submission
try_submit_cron(thread_pool& pool, std::string_view expression, std::string_view zone, F&& f,
                const cron_options& when = {}, const series_options& how = {}) {
  return pool.try_submit_on(std::make_shared<cron>(expression, zone, when), std::forward<F>(f),
                            how);
}

}  // namespace weir
