#pragma once

#include "report/page.h"

namespace schemamem {

/// The paper as the subject of a page: its claims, tables and printed points beside what the ledger has, for every
/// recipe and every seed of evaluation episodes in it, the paper's first.
PageSubject paper_subject(const Ledger& ledger);

}  // namespace schemamem
