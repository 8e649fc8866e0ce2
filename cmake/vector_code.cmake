# Loops that are to become vector code of the full width: GCC by itself does that from -O3 on only, and halves the width.
function(condens_vector_code)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set_property(SOURCE ${ARGN} PROPERTY COMPILE_OPTIONS
                 $<$<CONFIG:Release,RelWithDebInfo>:-O3> $<$<CONFIG:Release,RelWithDebInfo>:-mprefer-vector-width=512>)
    # GCC takes a precompiled header for its own flags only.
    set_property(SOURCE ${ARGN} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Where others compile quickly, and run slowly: these few files take a fifth of the time of the tests.
    set_property(SOURCE ${ARGN} PROPERTY COMPILE_OPTIONS $<$<CONFIG:None>:-O2>)
  endif()
endfunction()
