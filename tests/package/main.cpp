#include <array>
#include <iostream>

#include "base/build_info.h"
#include "base/threads.h"
#include "base/view.h"

int main() {
  std::array<int, 6> squares{};
  const schemamem::View<int, 1> view(squares.data(), {squares.size()});
  schemamem::ThreadPool(2).run(view.size(), [&](std::size_t i, int) { view[i] = static_cast<int>(i * i); });
  std::cout << schemamem::build_info().version << '\n';
  return squares[5] == 25 ? 0 : 1;
}
