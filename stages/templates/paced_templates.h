// stages/templates/paced_templates.h — gives paced beats templates of their own.
#pragma once

namespace beatscan {

struct Findings;
struct GroupOptions;

// Sets the beats that `paced` marks to class Q. Each template whose ventricles are paced is divided into the paced
// beats and the others, which keep their class. The others are taken for paced, too, if they are too few for a
// template, or if there are as many templates as there may be. Afterwards the largest template is the first one.
void part_paced_templates(const GroupOptions& options, Findings& findings);

}  // namespace beatscan
