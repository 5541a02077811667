#include "app/report/sections/findings_html.h"

#include <cmath>

#include "app/report/drawing/html.h"
#include "app/report/stored/stored_result.h"
#include "app/report/words/findings_words.h"
#include "app/text/numbers.h"

namespace beatscan {

std::string finding_link(const Finding& finding, const std::string& label) {
  if (!std::isfinite(finding.from)) return escaped(finding.words);
  const std::string name = label.empty() ? "" : " data-label=\"" + escaped(label) + "\"";
  return "<a class=\"see\" href=\"#recording\" data-from=\"" + fixed(finding.from, 3) + "\" data-to=\"" +
         fixed(finding.to, 3) + "\"" + name + ">" + escaped(finding.words) + "</a>";
}

std::string findings_paragraph(const StoredResult& result) {
  if (!result.has_kinds()) return "";
  const std::string words = unusual_words(result);
  const auto space = words.find(' ');
  std::string html = "<p class=\"headline findings\"><strong>" + escaped(words.substr(0, space)) + "</strong>" +
                     escaped(words.substr(space));
  const char* before = ": ";
  for (const Finding& finding : beat_findings(result)) {
    html += before + finding_link(finding);
    before = "; ";
  }
  for (const Finding& finding : rhythm_findings(result)) html += "; " + finding_link(finding);
  return html + ".</p>\n";
}

std::string not_told_entries(const StoredResult& result) {
  std::string html;
  if (!result.has_kinds()) return html;
  for (const std::string& sentence : not_told(result))
    html += "<li class=\"untold\"><strong>Undetermined</strong> " + escaped(sentence) + "</li>\n";
  return html;
}

}  // namespace beatscan
