# Warnings for our own code; never exported to a consumer.
add_library(condens_warnings INTERFACE)
target_compile_options(condens_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                       -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual -Wnull-dereference)
if(CONDENS_WERROR)
  target_compile_options(condens_warnings INTERFACE -Werror)
endif()
