#include "app/report/report.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "app/files/sha256.h"
#include "app/report/assets.h"
#include "app/report/drawing/html.h"
#include "app/report/page_data.h"
#include "app/report/stored/damaged_file.h"
#include "app/text/numbers.h"

namespace beatscan {
namespace {

std::string bytes_of_hex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(digit(hex[i]) << 4 | digit(hex[i + 1]));
  return bytes;
}

// Says in a sentence what the result holds, for a reader whose browser runs no script.
std::string verdict(const StoredResult& result) {
  const Json& summary = result.summary;
  const auto found = summary.at("beats").at("found").get<std::int64_t>();
  std::string words = grouped(found, "beat") + ", of which " +
                      grouped(summary.at("anomaly").value("count_in_good_signal", std::int64_t{0})) +
                      " in good signal are abnormal";
  const Json episodes = summary.value(Json::json_pointer("/findings/episodes"), Json::object());
  std::string parts;
  for (const auto& [label, its] : episodes.items())
    parts += (parts.empty() ? "; episodes: " : ", ") + label + " " + grouped(its.value("count", std::int64_t{0}));
  return words + parts + ".";
}

std::string joined(const std::vector<std::string>& parts) {
  std::size_t size = 0;
  for (const auto& part : parts) size += part.size();
  std::string text;
  text.reserve(size);
  for (const auto& part : parts) text += part;
  return text;
}

// Returns the template with its places, {{name}}, filled in; `data` fills that of this name.
std::string filled(std::string_view page, const std::map<std::string_view, std::string>& texts,
                   std::vector<std::string> data) {
  std::vector<std::string> parts;
  for (auto at = page.find("{{"); at != page.npos; at = page.find("{{")) {
    const auto end = page.find("}}", at);
    parts.emplace_back(page.substr(0, at));
    if (const auto name = page.substr(at + 2, end - at - 2); name == "data")
      std::ranges::move(data, std::back_inserter(parts));
    else
      parts.push_back(texts.at(name));
    page.remove_prefix(end + 2);
  }
  parts.emplace_back(page);
  return joined(parts);
}

// The policy of the page loads nothing and runs no script but the one of this hash. So the name of a file or a column
// cannot become a script.
std::string page_of(const StoredResult& result) {
  const std::string script = std::string("\n") + kUplotJs + "\n" + kPageJs;
  return filled(kPageHtml,
                {{"title", escaped(result.title())},
                 {"verdict", escaped(verdict(result))},
                 {"style", std::string(kUplotCss) + "\n" + kPageCss},
                 {"licence", escaped(kUplotLicence)},
                 {"script", script},
                 {"script hash", base64(bytes_of_hex(sha256_of(script)))}},
                page_data(result));
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
