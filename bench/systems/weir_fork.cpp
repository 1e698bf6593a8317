#include "systems/all.hpp"
#include "weir/parallel.hpp"
#include "weir/work_stealing_pool.hpp"
#include "workloads/all.hpp"

namespace bench {

namespace {

/// The calling thread is a guest, so one of the pool's own threads sleeps meanwhile.
class weir_forks {
 public:
  static constexpr const char* k_name = "weir";

  explicit weir_forks(std::size_t workers) : pool_(workers) {}

  template <class F>
  auto run(F&& f) {
    return pool_.run(f);
  }

  template <class F, class G>
  static void join(F&& f, G&& g) {
    weir::join(f, g);
  }

  template <class Body>
  static void loop(std::size_t count, Body&& body) {
    weir::parallel_for(std::size_t{0}, count, body);
  }

 private:
  weir::work_stealing_pool pool_;
};

}  // namespace

void add_weir_fork(experiments& all, const scale& size) {
  add_fork_workloads<weir_forks>(all, size);
  add_loops<weir_forks>(all, size);
}

}  // namespace bench
