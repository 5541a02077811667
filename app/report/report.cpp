#include "app/report/report.h"

#include <nlohmann/json.hpp>

#include "app/files/sha256.h"
#include "app/report/assets.h"
#include "app/report/drawing/html.h"
#include "app/report/page_data.h"
#include "app/report/sections/page.h"
#include "app/report/stored/damaged_file.h"
#include "app/text/numbers.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {
namespace {

std::string bytes_of_hex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(digit(hex[i]) << 4 | digit(hex[i + 1]));
  return bytes;
}

// Returns a policy by which the page loads nothing and runs no script but its own. So the name of a file or a column
// cannot become a script.
std::string security_policy(const std::string& script) {
  return "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src "
         "'unsafe-inline'; script-src 'sha256-" +
         base64(bytes_of_hex(sha256_of(script))) + "'; base-uri 'none'; form-action 'none'\">\n";
}

std::string head(const std::string& name, const std::string& script) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" + security_policy(script) +
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n<title>" +
         name + " – beatscan</title>\n<style>\n" + kUplotCss + "\n" + kPageCss + "</style>\n</head>\n";
}

// Returns the names of the leads that were read. A result of an older version tells of one column.
std::string leads_of(const Json& input) {
  const Json leads = input.value("leads", Json());
  std::string names;
  for (const auto& lead : leads.is_array() ? leads : Json::array())
    if (const Json name = lead.is_object() ? lead.value("name", Json()) : Json(); name.is_string())
      names += (names.empty() ? "leads <code>" : ", <code>") + escaped(name.get<std::string>()) + "</code>";
  if (leads.is_array() && leads.size() > 1 && !names.empty()) return names;
  return "column <code>" + escaped(input.at("column").get<std::string>()) + "</code>";
}

std::string banner(const StoredResult& result, const std::string& name) {
  const Json& summary = result.summary;
  std::string facts = result.rate_hz ? duration(result.length()) + " at " + significant(*result.rate_hz, 6) + " Hz"
                                     : grouped(result.samples, "sample");
  return "<header class=\"banner\"><p class=\"product\">beatscan <span>" +
         escaped(summary.at("versions").at("beatscan").get<std::string>()) + "</span></p>\n<h1>" + name + "</h1>\n<p>" +
         facts + " · " + leads_of(summary.at("input")) + "</p></header>\n";
}

using Section = void (*)(Page&);
constexpr Section kSections[] = {add_verdict, add_recording, add_episodes, add_intervals, add_shapes, add_gallery,
                                 add_hours,   add_detection, add_latents,  add_model,     add_truth,  add_run};

std::string navigation(const std::vector<Page>& pages) {
  std::string html = "<nav aria-label=\"Sections\"><ul>";
  for (const Page& page : pages)
    for (const auto& [id, name] : page.sections) html += "<li><a href=\"#" + id + "\">" + escaped(name) + "</a></li>";
  return html + "</ul></nav>\n";
}

// Returns what stands between the sections and the data.
std::string footer() {
  return "</main>\n<footer><p>Made by beatscan. Charts by uPlot 1.6.31.</p><details><summary>Licence of "
         "uPlot</summary><pre>" +
         escaped(kUplotLicence) + "</pre></details></footer>\n<script type=\"application/json\" id=\"data\">";
}

std::string joined(const std::vector<std::string>& parts) {
  std::size_t size = 0;
  for (const auto& part : parts) size += part.size();
  std::string text;
  text.reserve(size);
  for (const auto& part : parts) text += part;
  return text;
}

std::string page_of(const StoredResult& result) {
  // The packed result, which takes the longest, comes first; the sections are made in parallel with it.
  std::vector<Page> pages(std::size(kSections), Page(result));
  PackedResult packed;
  parallel_each(Cpu(), std::ssize(pages) + 1, [&](std::int64_t i) {
    i == 0 ? void(packed = packed_result(result)) : kSections[i - 1](pages[i - 1]);
  });
  Json tables = Json::object();
  for (Page& page : pages)
    for (auto& [id, table] : page.tables.items()) tables[id] = std::move(table);
  const std::string name = escaped(result.title());
  const std::string script = std::string("\n") + kUplotJs + "\n" + kPageJs;
  std::vector<std::string> parts{head(name, script), "<body>\n", banner(result, name), navigation(pages), "<main>\n"};
  for (Page& page : pages) parts.push_back(std::move(page.html));
  parts.push_back(footer());
  for (std::string& part : page_data(result, std::move(tables), std::move(packed))) parts.push_back(std::move(part));
  parts.push_back("</script>\n<script>" + script + "</script>\n</body>\n</html>\n");
  return joined(parts);
}

}  // namespace

std::string report_page(const std::filesystem::path& folder, std::optional<HeldResult> held) {
  const StoredResult result = read_stored_result(folder, std::move(held));
  try {
    return page_of(result);
  } catch (const Json::exception& error) {
    fail_damaged(folder / "summary.json", std::string("is not as expected (") + error.what() + ")");
  }
}

std::string report_line(const std::filesystem::path& path, const std::string& page,
                        std::chrono::steady_clock::time_point start) {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return path.string() + ", " + megabytes(static_cast<double>(page.size())) + " in " + significant(elapsed.count(), 2) +
         " s";
}

}  // namespace beatscan
