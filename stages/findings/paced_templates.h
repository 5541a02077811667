// stages/findings/paced_templates.h — gives paced beats templates of their own.
#pragma once

namespace beatscan {

struct Findings;
struct GroupOptions;

// Makes the beats Q that `paced` marks. Each template whose ventricles are paced is parted in the beats that are paced
// and the others, which keep their kind. Fewer others than a template has at least are paced, too, and so are all where
// there are as many templates as there may be. The largest template is the first one then.
void part_paced_templates(const GroupOptions& options, Findings& findings);

}  // namespace beatscan
