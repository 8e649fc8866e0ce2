#pragma once
// Tables of Arrow in memory, by Arrow's C data interface (Apache Arrow, "The Arrow C data interface"): what DuckDB,
// pyarrow, polars and Arrow's own libraries hand to each other. No library of Arrow is needed.
//
// Integers, floating point numbers and Booleans become numbers; texts, and dictionaries of texts, texts; dates and
// times texts of ISO 8601, which the encoder reads off the calendar. Nulls are missing values. Every value is copied
// once: rows of a fit lie side by side, columns of Arrow one after the other.

#include <cstdint>

#include "condens/data/table.hpp"

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};
}
#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
extern "C" struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};
#endif

namespace condens {

/// The rows of one batch, an array of structs; schema and batch stay the caller's. Throws std::invalid_argument that
/// names the column for what is no table, for a type that is none of the above, and for texts that are not UTF-8.
Table table_from_arrow(const ArrowSchema& schema, const ArrowArray& batch);

/// All batches of a stream, which is released, whatever happens. Throws std::runtime_error with the stream's own words
/// where it fails.
Table table_from_arrow(ArrowArrayStream& stream);

}  // namespace condens
