#include "app/output/model_file.h"

#include <cstring>

#include "tests/fuzz/support.h"

namespace beatscan::fuzz {

// A model that is read, written and read again must stay the same.
void model(Bytes bytes) {
  const auto path = write("x.safetensors", text_of(bytes));
  refusal_of(
      [&] {
        const SavedModel model = read_model(path);
        const std::string written = model_safetensors(model);
        const SavedModel again = read_model(write("y.safetensors", written));
        require(model_safetensors(again) == written, "written and read again, it is another model");
      },
      {ErrorKind::input});
}

}  // namespace beatscan::fuzz
