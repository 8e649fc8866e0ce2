# What runs the compiler: ccache, where there is one, and clang-tidy before the compiler of the targets that it reads.
set(CONDENS_TIDY "" CACHE FILEPATH "A clang-tidy that reads library, pictures, command and bindings first")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # The precompiled header: ccache compares what it was made of, which CMake writes a moment before and ccache would else
  # take for unfinished. What a file includes it reads from the compiler's list, and need not run the preprocessor for it.
  set(sloppiness pch_defines,time_macros,include_file_mtime,include_file_ctime)
  set(condens_ccache CCACHE_SLOPPINESS=${sloppiness} CCACHE_DEPEND=1)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env ${condens_ccache} ${CCACHE_PROGRAM})
endif()

if(CONDENS_TIDY)
  execute_process(COMMAND ${CONDENS_TIDY} --version OUTPUT_VARIABLE version COMMAND_ERROR_IS_FATAL ANY)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/tidy_version CONTENT "${version}" @ONLY)
endif()

# condens_tidy(TARGET): with CONDENS_TIDY, clang-tidy reads what the target compiles. It runs within ccache, which thus has
# only what has passed by these checks and this version, and spares both for what it has: half of a second build.
function(condens_tidy target)
  if(NOT CONDENS_TIDY)
    return()
  endif()
  set(first ${PROJECT_SOURCE_DIR}/cmake/tidy-first)
  set(tidy CONDENS_TIDY=${CONDENS_TIDY})
  set(checks ${PROJECT_SOURCE_DIR}/.clang-tidy:${first}:${PROJECT_BINARY_DIR}/tidy_version)
  if(CCACHE_PROGRAM)
    set(launcher ${condens_ccache} CCACHE_PREFIX=${first} CCACHE_EXTRAFILES=${checks} ${tidy} ${CCACHE_PROGRAM})
  else()
    set(launcher ${tidy} ${first})
  endif()
  set_property(TARGET ${target} PROPERTY CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env ${launcher})
endfunction()
