# Warnings for our own code; never exported to a consumer.
add_library(condens_warnings INTERFACE)
target_compile_options(condens_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                       -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual -Wnull-dereference)
# GCC 12 sees uninitialised values inside its own AVX-512 intrinsics (GCC bug 105593),
# and overlapping copies in "text" + std::string (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(condens_warnings INTERFACE -Wno-maybe-uninitialized -Wno-uninitialized
                         -Wno-restrict)
endif()
if(CONDENS_WERROR)
  target_compile_options(condens_warnings INTERFACE -Werror)
endif()
