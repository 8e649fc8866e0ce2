# condens_precompile(TARGET HEADER...): what nearly every file of the target reads, read once.
# Not for the sanitizers, whose compiler writes its place into it: a clone elsewhere would find nothing of what takes longest
# to compile.
function(condens_precompile target)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
    return()
  endif()
  target_precompile_headers(${target} PRIVATE ${ARGN})
  # For ccache; and what GCC 12 says of "text" + std::string (cmake/warnings.cmake) has other names in such a header.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>
                                           $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow -Wno-array-bounds>)
endfunction()
