/// Forks and joins: work that is split among all processors, and comes back as one result.
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
#include <weir/parallel.hpp>
#include <weir/work_stealing_pool.hpp>

#include "check.hpp"

namespace {

// [walk]
struct node {
  long value = 1;
  std::unique_ptr<node> left, right;
};

long sum_of(const node* tree) {
  if (tree == nullptr) return 0;
  auto [left, right] = weir::join([tree] { return sum_of(tree->left.get()); },
                                  [tree] { return sum_of(tree->right.get()); });
  return tree->value + left + right;
}
// [walk]

std::unique_ptr<node> tree_of(int depth) {
  if (depth == 0) return nullptr;
  auto made = std::make_unique<node>();
  made->left = tree_of(depth - 1);
  made->right = tree_of(depth - 1);
  return made;
}

void all_at_once() {
  const std::unique_ptr<node> tree = tree_of(16);
  std::vector<int> numbers(100'000);
  std::iota(numbers.rbegin(), numbers.rend(), 0);
  // [first]
  weir::work_stealing_pool pool;  // a thread for each processor
  pool.run([&] {                  // this thread works along
    weir::parallel_sort(numbers);
    long sum = weir::parallel_reduce(
        numbers, 0L, [](int n) { return n; }, std::plus<>());
    long nodes = sum_of(tree.get());
    std::printf("%d … %d, sum %ld, %ld nodes\n", numbers.front(), numbers.back(), sum, nodes);
  });
  // [first]
  check(numbers[777] == 777, "sorted");
}

void loops(weir::work_stealing_pool& pool) {
  std::vector<double> cells(10'000, 1.0);
  // [loops]
  pool.run([&] {
    weir::parallel_for(0, 10'000, [&](int i) { cells[i] *= i; });
    weir::parallel_for(cells, [](double& cell) { cell += 1; });
    weir::parallel_transform(cells, cells.begin(), [](double cell) { return cell / 2; });
  });
  // [loops]
  check(cells[3] == 2.0, "each body ran once");
  // [deterministic]
  double sum = pool.run([&] {
    return weir::parallel_reduce(cells, 0.0, [](double cell) { return cell; }, std::plus<>(),
                                 {.deterministic = true});
  });
  // [deterministic]
  check(sum > 0, "the same bits on any machine");
}

void failures(weir::work_stealing_pool& pool) {
  // [failure]
  try {
    pool.run([] {
      weir::parallel_invoke([] { throw std::runtime_error("no first part"); },
                            [] { /* if it runs already, its end is awaited */ });
    });
  } catch (const std::runtime_error& error) {
    check(error.what() == std::string("no first part"), "the exception comes out of run");
  }
  // [failure]
}

}  // namespace

int main() {
  all_at_once();
  weir::work_stealing_pool pool(2);
  loops(pool);
  failures(pool);
}
