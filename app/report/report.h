// app/report/report.h — makes report.html: a result as one page that needs no other file.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "app/report/stored/stored_result.h"

namespace beatscan {

// Returns the page of a result, made from the files in its folder. `run` hands over what is still in memory of them,
// and gets the same bytes. Throws ErrorKind::input where the folder is no result.
std::string report_page(const std::filesystem::path& folder, std::optional<HeldResult> held = {});
std::string report_page(const StoredResult& result);

// Returns a line for people: "out/report.html, 2.4 MB in 0.05 s".
std::string report_line(const std::filesystem::path& path, const std::string& page,
                        std::chrono::steady_clock::time_point start);

}  // namespace beatscan
