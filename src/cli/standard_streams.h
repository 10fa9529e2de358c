#pragma once

namespace schemamem {

/// Puts something behind standard streams that the parent has closed, so that no file that is opened later takes their
/// numbers and receives what is said. The first thing of `main`. Nothing can be read there or written: a result that
/// nobody gets is still a failure. False where even that is impossible.
bool occupy_standard_streams();

}  // namespace schemamem
