# Loops that are to become vector code of the full width: GCC by itself does that from -O3 on only, and halves the width.
function(condens_vector_code)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set_property(SOURCE ${ARGN} PROPERTY COMPILE_OPTIONS
                 $<$<CONFIG:Release,RelWithDebInfo>:-O3> $<$<CONFIG:Release,RelWithDebInfo>:-mprefer-vector-width=512>)
    # GCC takes a precompiled header for its own flags only.
    set_property(SOURCE ${ARGN} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
  endif()
  condens_quick_loops(${ARGN})
endfunction()

# Where others compile quickly, and run slowly (sanitizers, ./demo): these few files take a third of the time of the tests.
# A check of every pointer's alignment would keep them from becoming vector code; the bounds of its accesses are watched.
function(condens_quick_loops)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS "$<$<CONFIG:None>:-O2;-fno-sanitize=alignment>")
  endif()
endfunction()
