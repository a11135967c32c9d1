#include "module.h"

#include <link.h>

#include <map>

namespace sim {
namespace {

struct Question {
  uintptr_t address;
  ModuleRange answer;
};

int visit(dl_phdr_info* info, size_t, void* data) {
  Question& question = *static_cast<Question*>(data);
  uintptr_t begin = UINTPTR_MAX, end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const uintptr_t at = info->dlpi_addr + segment.p_vaddr;
    begin = at < begin ? at : begin;
    end = at + segment.p_memsz > end ? at + segment.p_memsz : end;
  }
  if (question.address < begin || question.address >= end) return 0;
  question.answer = {begin, end - begin};
  return 1;
}

}  // namespace

ModuleRange module_of(const void* address) {
  static std::map<const void*, ModuleRange> known;
  const auto it = known.find(address);
  if (it != known.end()) return it->second;
  Question question{reinterpret_cast<uintptr_t>(address), {}};
  dl_iterate_phdr(visit, &question);
  return known[address] = question.answer;
}

}  // namespace sim
