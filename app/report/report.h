// app/report/report.h — report.html: a result as one page that needs nothing but itself.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace beatscan {

// The page of a result's folder, from the files in it: `run` and `report` give the same bytes. Throws ErrorKind::input
// where the folder is no result.
std::string report_page(const std::filesystem::path& folder);

// "out/report.html, 2.4 MB in 0.05 s", for people.
std::string report_line(const std::filesystem::path& path, const std::string& page,
                        std::chrono::steady_clock::time_point start);

}  // namespace beatscan
