#include "model_object.hpp"

#include "raw_object.hpp"

namespace condens::r {

using Object = RawObject<Model>;

void register_model_class(DllInfo* dll) {
  Object::enroll(dll, {.class_name = "condens_model",
                       .text = "a fitted model of condens",
                       .to_bytes = to_cbor,
                       .from_bytes = [](std::string_view bytes) {
                         return std::make_shared<const Model>(parse_model(bytes, "model"));
                       }});
}

SEXP to_r(std::shared_ptr<const Model> model) { return Object::make(std::move(model)); }

std::shared_ptr<const Model> model_of(SEXP object) { return Object::value_of(object); }

}  // namespace condens::r
