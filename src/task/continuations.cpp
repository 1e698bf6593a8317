#include "task/continuations.hpp"

#include <system_error>

#include "task/extras.hpp"
#include "task/run_context.hpp"
#include "task/task_home.hpp"

/// Who runs what follows a task. The argument stands in docs/design/continuations.md.
namespace weir::detail {

using namespace state_word;

namespace {

/// Ends a list that takes no more: whoever finds it runs its continuation itself.
constinit continuation k_closed{nullptr};

/// The continuation that runs on this thread; they nest where one waits.
struct running_continuation {
  task_base* root;
  const running_continuation* outer;
};

/// Lies on the stack of the outermost continuation of a thread. What becomes due meanwhile waits
/// here, so that a chain of any length needs one frame.
struct trampoline {
  continuation* first = nullptr;
  continuation* last = nullptr;
  const running_continuation* innermost = nullptr;
};
constinit WEIR_THREAD_LOCAL sync::per_thread<trampoline*> active{};

std::uint32_t& untold(task_base& root) noexcept { return root.extras.load(sync::relaxed)->untold; }

// What a continuation makes due belongs to the same root, unless it has one of its own: so a pool
// waits for a whole chain.
void append(trampoline& at, continuation& first, continuation& last) noexcept {
  task_base* const root = at.innermost != nullptr ? at.innermost->root : nullptr;
  for (continuation* each = &first; root != nullptr && each != nullptr; each = each->next) {
    if (each->root != nullptr) continue;
    each->root = root;
    ++untold(*root);
  }
  (at.last != nullptr ? at.last->next : at.first) = &first;
  at.last = &last;
}

void run_one(trampoline& at, continuation& due) noexcept {
  task_base* const upstream = due.upstream;
  task_base* const root = due.root;
  const running_continuation self{root, at.innermost};
  at.innermost = &self;
  due.run(due, *upstream);
  release(upstream);
  at.innermost = self.outer;
  if (root == nullptr || --untold(*root) > 0) return;
  continuations_over(*root);
  release(root);
}

void drain(trampoline& at) noexcept {
  while (continuation* due = at.first) {
    at.first = due->next;
    if (at.first == nullptr) at.last = nullptr;
    run_one(at, *due);
  }
}

// A chain from `first` to `last`, whose `next` is null.
void run_or_defer(continuation& first, continuation& last) noexcept {
  if (trampoline* outer = active) return append(*outer, first, last);
  trampoline here;
  active = &here;
  append(here, first, last);
  drain(here);
  active = nullptr;
}

// From here on the thread that ends the task looks for continuations. False: it is terminal. The
// caller has made the extras.
bool mark_continued(task_base& task) noexcept {
  // ordering: task-phase
  std::uint32_t word = task.word.load(sync::acquire);
  for (;;) {
    if (terminal(word)) return false;
    if ((word & k_continued) != 0) return true;
    if (phase_of(word) == phase::returned || phase_of(word) == phase::stopped) {
      return !sleep_until_terminal(task, {}, {});
    }
    // ordering: continuations (whoever publishes sees the extras), task-phase
    if (task.word.compare_exchange_weak(word, word | k_continued, sync::release, sync::acquire)) {
      return true;
    }
  }
}

bool push(task_base& task, continuation& added) noexcept {
  // ordering: stop-source
  auto& newest = task.extras.load(sync::acquire)->continuations;
  // ordering: continuations (a closed list shows that the task is terminal)
  continuation* seen = newest.load(sync::acquire);
  do {
    if (seen == &k_closed) return false;
    added.next = seen;
    // ordering: continuations
  } while (!newest.compare_exchange_weak(seen, &added, sync::release, sync::acquire));
  return true;
}

}  // namespace

void prepare_attach(task_base& upstream) {
  // ordering: task-phase
  const std::uint32_t word = upstream.word.load(sync::acquire);
  if (terminal(word)) return;
  const bool fixed = phase_of(word) == phase::returned || phase_of(word) == phase::stopped;
  if (fixed && (word & k_continued) == 0 && run_context::runs_here(upstream)) {
    throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur),
                            "weir: a task continues itself after its body");
  }
  (void)need_extras(upstream);
}

void attach(task_base& upstream, continuation& added) noexcept {
  retain(upstream);
  added.upstream = &upstream;
  if (mark_continued(upstream) && push(upstream, added)) return;
  added.next = nullptr;
  run_or_defer(added, added);
}

void adopt_home(task_base& follower, const continuation& link) noexcept {
  if (link.root != nullptr) {
    share_home(*link.root, follower);
  } else if (link.upstream->holds_core) {
    share_home(*link.upstream, follower);
  }
}

void run_deferred() noexcept {
  if (trampoline* at = active) drain(*at);
}

void count_continuations(task_base& task) noexcept {
  task.extras.load(sync::relaxed)->counted = true;
}

void run_continuations(task_base& task) noexcept {
  task_extras& extras = *task.extras.load(sync::relaxed);
  // ordering: continuations
  continuation* newest = extras.continuations.exchange(&k_closed, sync::acq_rel);
  continuation* const last = newest;
  continuation* first = nullptr;
  while (newest != nullptr) {
    continuation* const older = newest->next;
    if (extras.counted) newest->root = &task;
    newest->next = first;
    first = newest;
    newest = older;
    ++extras.untold;
  }
  if (first == nullptr) {
    if (extras.counted) continuations_over(task);
    return;
  }
  if (extras.counted) retain(task);  // until the last of them is over
  run_or_defer(*first, *last);
}

bool continues_for(const pool_core* core) noexcept {
  const trampoline* at = active;
  if (at == nullptr) return false;
  for (const auto* run = at->innermost; run != nullptr; run = run->outer) {
    if (run->root != nullptr && run->root->core == core) return true;
  }
  return false;
}

}  // namespace weir::detail
