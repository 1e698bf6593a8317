#pragma once

#include <memory>
#include <string>

#include "experiment.hpp"

namespace bench {

/// Adds the experiments of Java's executors. They share one virtual machine, which is started when
/// the first of them runs: what it has compiled by then stays compiled, as in a server.
/// `classes` is the folder that holds WeirBench.class.
void add_java(experiments& all, const scale& size, const std::string& classes, int limit_ms);

}  // namespace bench
