#pragma once

#include "../harness/experiment.hpp"

/// One function per adapter: adds what its system takes part in. Those of libraries exist where the
/// build has found the library.
namespace bench {

void add_weir(experiments& all, const scale& size);
void add_weir_fork(experiments& all, const scale& size);
void add_naive(experiments& all, const scale& size);
void add_heap(experiments& all, const scale& size);
void add_tbb(experiments& all, const scale& size);
void add_asio(experiments& all, const scale& size);
void add_openmp(experiments& all, const scale& size);
void add_libuv(experiments& all, const scale& size);

}  // namespace bench
