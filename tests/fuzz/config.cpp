#include "app/config/config.h"

#include "tests/fuzz/support.h"

namespace beatscan::fuzz {

// A configuration that is loaded, written and loaded again must stay the same.
void config(Bytes bytes) {
  const auto parts = split(text_of(bytes), '\0', 4);
  const auto path = write("x.json", parts[0]);
  std::vector<std::string> settings;
  for (std::size_t i = 1; i < parts.size(); ++i)
    if (!parts[i].empty()) settings.emplace_back(parts[i]);
  refusal_of([&] { load_config("", settings); }, {ErrorKind::usage});
  refusal_of(
      [&] {
        const Config loaded = load_config(path.string(), settings);
        const Json written = to_json(loaded);
        Config again;
        apply(again, written, "written");
        require(to_json(again) == written, "written and loaded again, it is another configuration");
        require(Json::parse(beatscan::text_of(written)) == written ||
                    beatscan::text_of(written).find("\xef\xbf\xbd") != std::string::npos,
                "its text is another configuration");
        check_config(loaded);
        check_rate_known(loaded);
      },
      {ErrorKind::usage});
}

}  // namespace beatscan::fuzz
