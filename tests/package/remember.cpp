#include <schemamem/schemamem.h>

#include <cstdio>

int main() {
  auto model = schemamem::Model::load("a5v5-schemamem-steady-s42");
  if (!model) return std::puts(model.error().message().c_str()), 1;
  schemamem::Memory memory(*model);
  memory.write(5, 3);
  memory.wait(1000);
  const schemamem::Answer answer = memory.ask(5);
  if (!memory.save("today.state")) return 1;
  auto later = schemamem::Memory::open("today.state", *model);
  return later && answer.value == 3 && later->ask(5).value == 3 ? 0 : 1;
}
