#include "app/evaluation/ranking.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace beatscan {
namespace {

// Calls group(positives, negatives) with the numbers of beats of each distinct score, from the highest score down.
void for_each_score(std::span<const double> positives, std::span<const double> negatives,
                    const std::function<void(std::int64_t, std::int64_t)>& group) {
  std::vector<double> p(positives.begin(), positives.end()), n(negatives.begin(), negatives.end());
  std::sort(p.begin(), p.end(), std::greater<>());
  std::sort(n.begin(), n.end(), std::greater<>());
  for (auto ip = p.begin(), in = n.begin(); ip != p.end() || in != n.end();) {
    const double score = in == n.end() || (ip != p.end() && *ip > *in) ? *ip : *in;
    const auto is_other = [score](double value) { return value != score; };
    const auto p_end = std::find_if(ip, p.end(), is_other), n_end = std::find_if(in, n.end(), is_other);
    group(p_end - ip, n_end - in);
    ip = p_end;
    in = n_end;
  }
}

// Replaces each longest run of points that fit one line within the tolerance by its two ends. The admissible directions
// from the first point form an interval, which every further point narrows.
std::vector<RocPoint> thinned(const std::vector<RocPoint>& curve, double tolerance) {
  std::vector<RocPoint> kept;
  double least = 0, greatest = 0;  // radians
  const auto start = [&](const RocPoint& point) {
    kept.push_back(point);
    least = -std::numbers::pi;
    greatest = std::numbers::pi;
  };
  const auto narrow = [&](const RocPoint& point) {
    const double x = point.false_positive_rate - kept.back().false_positive_rate;
    const double y = point.true_positive_rate - kept.back().true_positive_rate;
    // std::hypot would need glibc 2.35; the program also supports 2.34. No square overflows here.
    const double distance = std::sqrt(x * x + y * y), direction = std::atan2(y, x);
    if (distance <= tolerance) return true;
    if (direction < least || direction > greatest) return false;
    least = std::max(least, direction - std::asin(tolerance / distance));
    greatest = std::min(greatest, direction + std::asin(tolerance / distance));
    return true;
  };
  start(curve.front());
  for (std::size_t i = 1; i < curve.size(); ++i) {
    if (narrow(curve[i])) continue;
    start(curve[i - 1]);
    narrow(curve[i]);
  }
  kept.push_back(curve.back());
  return kept;
}

}  // namespace

std::optional<double> auroc(std::span<const double> positives, std::span<const double> negatives) {
  if (positives.empty() || negatives.empty()) return std::nullopt;
  std::int64_t positives_above = 0, twice_won = 0;  // doubled, because a tie is half a win and integers are exact
  for_each_score(positives, negatives, [&](std::int64_t p, std::int64_t n) {
    twice_won += n * (2 * positives_above + p);
    positives_above += p;
  });
  return static_cast<double>(twice_won) / 2 / static_cast<double>(positives.size()) /
         static_cast<double>(negatives.size());
}

std::optional<double> average_precision(std::span<const double> positives, std::span<const double> negatives) {
  if (positives.empty()) return std::nullopt;
  std::int64_t found = 0, chosen = 0;
  double sum = 0;
  for_each_score(positives, negatives, [&](std::int64_t p, std::int64_t n) {
    found += p;
    chosen += p + n;
    sum += static_cast<double>(p) * static_cast<double>(found) / static_cast<double>(chosen);
  });
  return sum / static_cast<double>(positives.size());
}

std::vector<RocPoint> roc_curve(std::span<const double> positives, std::span<const double> negatives) {
  if (positives.empty() || negatives.empty()) return {};
  std::vector<RocPoint> curve = {{0, 0}};
  std::int64_t p_above = 0, n_above = 0;
  for_each_score(positives, negatives, [&](std::int64_t p, std::int64_t n) {
    p_above += p;
    n_above += n;
    curve.push_back({static_cast<double>(n_above) / static_cast<double>(negatives.size()),
                     static_cast<double>(p_above) / static_cast<double>(positives.size())});
  });
  return curve;
}

std::vector<RocPoint> thinned(const std::vector<RocPoint>& curve) {
  if (curve.size() < 3) return curve;
  for (double tolerance = 1e-4;; tolerance *= 2)
    if (auto few = thinned(curve, tolerance); few.size() <= kRocPoints) return few;
}

}  // namespace beatscan
