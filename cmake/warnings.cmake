# Warnings for our own code; never exported to a consumer.
add_library(condens_warnings INTERFACE)
target_compile_options(condens_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                       -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual)
# GCC 12 raises false alarms inside its own AVX-512 intrinsics (GCC bug 105593), "text" +
# std::string (bug 105651), Eigen's temporaries and vectors that grow. The checks run
# clang-tidy and the sanitizers over the same code.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(condens_warnings INTERFACE -Wno-maybe-uninitialized -Wno-uninitialized -Wno-restrict
                         -Wno-dangling-pointer -Wno-free-nonheap-object)
endif()
if(CONDENS_WERROR)
  target_compile_options(condens_warnings INTERFACE -Werror)
endif()
