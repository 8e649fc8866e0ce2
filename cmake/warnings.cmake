# Warnings for our own code; never exported to a consumer.
add_library(condens_warnings INTERFACE)
target_compile_options(condens_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                       -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual)
# GCC 12 raises false alarms inside its own AVX-512 intrinsics (GCC bug 105593), "text" +
# std::string (bug 105651) and Eigen's temporaries (bug 106393). The checks run clang's
# analysis of the same things over every file.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(condens_warnings INTERFACE -Wno-maybe-uninitialized -Wno-uninitialized -Wno-restrict
                         -Wno-dangling-pointer)
endif()
if(CONDENS_WERROR)
  target_compile_options(condens_warnings INTERFACE -Werror)
endif()
