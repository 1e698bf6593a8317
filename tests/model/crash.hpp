#pragma once

namespace weir::model {

/// From now on a crash of the program under test fails its execution like a broken check, so that
/// its choices are known. Once, before all else.
void catch_crashes();

}  // namespace weir::model
