#pragma once

#include <sys/types.h>

namespace weir::process {

/// Whether a process other than a zombie is in the group `group`. Reads /proc: for the rare case in
/// which a group is being ended, not for the path of every command. Answers true where /proc cannot
/// say.
bool group_has_living(pid_t group);

/// Reaps processes that were handed to this one because their parent died, which is the duty of
/// process 1 of a container. Looks at the children of the main thread only, to which the kernel
/// hands orphans: the main thread must have no child of its own meanwhile. Any thread may call it.
void reap_adopted();

}  // namespace weir::process
