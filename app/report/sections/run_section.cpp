// The section on the run: its command, the options that differ from the defaults, the time of each stage, and the
// environment.
#include <algorithm>
#include <map>

#include "app/config/config.h"
#include "app/config/config_fields.h"
#include "app/report/drawing/html.h"
#include "app/report/sections/page.h"
#include "app/text/json_text.h"
#include "app/text/numbers.h"

namespace beatscan {
namespace {

std::map<std::string, std::string> flat(const Json& config) {
  std::map<std::string, std::string> values;
  for (const auto& [section, value] : config.items()) {
    if (!value.is_object()) {
      values[section] = text_of(value, -1);
      continue;
    }
    for (const auto& [key, inner] : value.items()) values[section + "." + key] = text_of(inner, -1);
  }
  return values;
}

// Returns the default of a key. Where only the key in the other unit has a default, its name follows in parentheses.
std::string default_of(const std::map<std::string, std::string>& defaults, const std::string& key) {
  if (const auto same = defaults.find(key); same != defaults.end()) return same->second;
  for (const char* suffix : {"_s", "_samples"})
    if (const auto other = defaults.find(key_without_unit(key) + suffix); other != defaults.end())
      return other->second + " (" + other->first + ")";
  return "";
}

// Defaults and meanings of all options, by key.
struct Options {
  std::map<std::string, std::string> defaults, meanings;
  explicit Options(Method method) {
    Config config;
    config.method = method;
    defaults = flat(to_json(config));
    for (const auto& field : fields_of(config)) meanings[field.key] = field.meaning;
  }
};

// Makes the defaults and meanings of both methods once: a batch has thousands of pages.
const Options& options_of(Method method) {
  static const Options r_peaks(Method::r_peaks), published(Method::published);
  return method == Method::published ? published : r_peaks;
}

void add_config(Page& page) {
  const StoredResult& result = page.result;
  const auto& [defaults, meanings] = options_of(result.published ? Method::published : Method::r_peaks);
  const auto values = flat(result.config);
  std::vector<std::vector<std::string>> rows;
  Json keys = Json::array(), texts = keys, usual = keys;
  for (const auto& [key, value] : values) {
    const std::string standard_value = default_of(defaults, key);
    if (standard_value == value) continue;
    rows.push_back({"<code>" + escaped(key) + "</code>", "<code>" + escaped(value) + "</code>",
                    "<code>" + escaped(standard_value) + "</code>",
                    escaped(meanings.contains(key) ? meanings.at(key) : "")});
    keys.push_back(key), texts.push_back(value), usual.push_back(standard_value);
  }
  const std::string method = result.published ? "published" : "r_peaks";
  page.figure({"config", "Configuration: what differs from the default",
               rows.empty() ? "<p>Nothing: all options have their defaults.</p>"
                            : html_table("config", {"option", "value", "default", "meaning"}, rows),
               "Method <code>" + method + "</code>. All options are in <code>config.json</code>.", "wide"},
              {{"option", keys}, {"value", texts}, {"default", usual}});
}

// Adds a chart with a bar for each stage, from its start to its end.
void add_stages(Page& page) {
  const Json& run = page.result.summary.at("run");
  const Json& stages = run.at("stages");
  double end = run.at("wall_s").get<double>();
  for (const auto& stage : stages)
    end = std::max(end, stage.at("start_s").get<double>() + stage.at("seconds").get<double>());
  const auto count = static_cast<double>(stages.size());
  ChartSize size{540, 48 + 26 * count, 74};
  size.top = 6;
  Chart chart(size, {0, end, "seconds from the start"}, {0, count, "", Axis::Kind::none},
              "Stages of the run over its time");
  Json name = Json::array(), start = name, seconds = name, bytes = name;
  std::string texts;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const double from = stages[i].at("start_s").get<double>(), took = stages[i].at("seconds").get<double>();
    const double low = count - 1 - static_cast<double>(i);
    chart.bar("stage", from, std::max(from + took, from + end / 300), low + 0.18, low + 0.82,
              stages[i].at("name").get<std::string>() + ": " + significant(took, 3) + " s");
    const bool turn = chart.x(from + took) > chart.right() - 70;
    texts += "<text class=\"row-name\" x=\"68\" y=\"" + fixed(chart.y(low + 0.5) + 4, 1) + "\">" +
             escaped(stages[i].at("name").get<std::string>()) + "</text><text class=\"value\" x=\"" +
             fixed(turn ? chart.x(from) - 6 : chart.x(from + took) + 7, 1) + "\" y=\"" +
             fixed(chart.y(low + 0.5) + 4, 1) + "\"" + (turn ? " text-anchor=\"end\"" : "") + ">" +
             significant(took * (took < 1 ? 1000 : 1), 3) + (took < 1 ? " ms" : " s") + "</text>";
    name.push_back(stages[i].at("name")), start.push_back(from), seconds.push_back(took);
    bytes.push_back(stages[i].value("bytes", Json()));
  }
  std::string svg = chart.svg();
  svg.insert(svg.rfind("</svg>"), texts);
  page.figure({"stages", "Where the time went: " + significant(run.at("wall_s").get<double>(), 3) + " s", svg},
              {{"stage", name}, {"start_s", start}, {"seconds", seconds}, {"bytes", bytes}});
}

// Returns the text or the number under a key; "" where there is none.
std::string shown_at(const Json& object, const char* key) {
  const Json value = object.value(key, Json());
  return value.is_number() ? value.dump() : text_at(object, key);
}

using Facts = std::vector<std::pair<std::string, std::string>>;

Facts environment_of(const Json& summary) {
  const Json& run = summary.at("run");
  const Json& input = summary.at("input");
  const Json device = run.value("device", Json::object()), host = run.value("host", Json::object());
  Facts facts{
      {"input", shown_at(input, "path")},
      {"format", shown_at(input, "format")},
      {"column", shown_at(input, "column")},
      {"unit", shown_at(input, "unit")},
      {"size", megabytes(input.at("bytes").get<double>())},
      {"SHA-256", shown_at(input, "sha256")},
      {"range", significant(input.at("min").get<double>(), 4) + " to " + significant(input.at("max").get<double>(), 4)},
      {"seed", shown_at(summary, "seed")},
      {"device", shown_at(device, "name")},
      {"driver", shown_at(device, "driver")}};
  if (run.contains("pool"))
    facts.emplace_back("device memory, peak", megabytes(run.at("pool").at("peak_bytes").get<double>()));
  for (const auto& [key, value] : host.items()) {
    std::string name = "host: " + key;
    std::ranges::replace(name, '_', ' ');
    facts.emplace_back(name, shown_at(host, key.c_str()));
  }
  const Json& versions = summary.at("versions");
  for (const auto& [key, value] : versions.items()) facts.emplace_back(key, shown_at(versions, key.c_str()));
  std::erase_if(facts, [](const auto& fact) { return fact.second.empty(); });
  return facts;
}

void add_environment(Page& page) {
  std::vector<std::vector<std::string>> rows;
  Json names = Json::array(), values = names;
  for (const auto& [name, value] : environment_of(page.result.summary)) {
    const std::string text = escaped(value);
    rows.push_back({escaped(name), name == "SHA-256" ? "<code>" + text + "</code>" : text});
    names.push_back(name), values.push_back(value);
  }
  page.figure({"environment", "Input and environment", html_table("facts", {}, rows)},
              {{"what", names}, {"value", values}});
}

}  // namespace

void add_run(Page& page) {
  const Json& run = page.result.summary.at("run");
  page.open_section("run", "Run", "The run");
  if (const auto command = shown_at(run, "command"); !command.empty())
    page.html += "<div class=\"command\"><code id=\"command\">" + escaped(command) +
                 "</code><button type=\"button\" class=\"live\" id=\"copy\">Copy</button></div>\n";
  add_config(page);
  page.stacks({{[&] { add_stages(page); }}, {[&] { add_environment(page); }}});
  page.close_section();
}

}  // namespace beatscan
