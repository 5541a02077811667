#include "app/python/call.h"

#include "app/python/keywords.h"
#include "kernels/runtime/error.h"

namespace beatscan::operators {

c10::IValue Call::operator[](const std::string& name) const {
  const auto index = schema_.argumentIndexWithName(name);
  return index ? torch::jit::peek(stack_, *index, schema_.arguments().size()) : c10::IValue();
}

const at::Tensor& Call::tensor(const std::string& name) const {
  const auto index = schema_.argumentIndexWithName(name);
  BEATSCAN_EXPECTS(index, "no such argument: " + name);
  return torch::jit::peek(stack_, *index, schema_.arguments().size()).toTensor();
}

Config Call::config(const Config& base) const {
  const auto named = (*this)["config"];
  Config config = named.isNone() ? base : load_config(named.toStringRef(), {}, base);
  apply_keywords(
      config, [&](const std::string& name) { return (*this)[name]; }, schema_.name());
  if (rate_hz()) apply(config, {{"ingest", {{"sample_rate_hz", *rate_hz()}}}}, schema_.name());
  return config;
}

}  // namespace beatscan::operators
