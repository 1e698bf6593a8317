#include "systems/naive.hpp"

#include "systems/all.hpp"
#include "workloads/all.hpp"

namespace bench {

void add_naive(experiments& all, const scale& size) { add_pool_workloads<naive_pool>(all, size); }

}  // namespace bench
