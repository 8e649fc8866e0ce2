# Instruction sets. A library is built whole for one level; two levels never meet in one
# binary, because the linker would mix Eigen's inline code.
#
# CONDENS_LEVEL: machine (the highest of the levels below that this processor has),
# x86-64-v2, x86-64-v3, x86-64-v4, or portable (what the compiler takes by default).

# Sets `result` to the level of this processor.
function(condens_machine_level result)
  if(NOT DEFINED CONDENS_MACHINE_LEVEL)
    try_run(ran compiled ${PROJECT_BINARY_DIR}/cpu_level ${PROJECT_SOURCE_DIR}/cmake/print_cpu_level.cpp
            RUN_OUTPUT_VARIABLE level)
    if(compiled AND ran EQUAL 0 AND level GREATER 0)
      set(CONDENS_MACHINE_LEVEL "x86-64-v${level}" CACHE INTERNAL "the level of this processor")
    else()
      set(CONDENS_MACHINE_LEVEL portable CACHE INTERNAL "the level of this processor")
    endif()
    message(STATUS "Level of this processor: ${CONDENS_MACHINE_LEVEL}")
  endif()
  set(${result} "${CONDENS_MACHINE_LEVEL}" PARENT_SCOPE)
endfunction()

# condens_level_names(RESULT LEVEL...): each once, with that of this processor for "machine"; of none given, all there are.
function(condens_level_names result)
  set(levels ${ARGN})
  if(NOT levels AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(levels x86-64-v2 x86-64-v3 x86-64-v4)
  elseif(NOT levels)
    set(levels portable)
  elseif("machine" IN_LIST levels)
    condens_machine_level(machine)
    list(TRANSFORM levels REPLACE "^machine$" "${machine}")
    list(REMOVE_DUPLICATES levels)
  endif()
  set(${result} ${levels} PARENT_SCOPE)
endfunction()

# The compiler's flags for `level`.
function(condens_level_flags result level)
  condens_level_names(level ${level})
  set(flags "")
  if(level MATCHES "^x86-64-v[234]$")
    set(flags -march=${level})
  elseif(NOT level STREQUAL "portable")
    message(FATAL_ERROR "CONDENS_LEVEL is '${level}', expected machine, portable, x86-64-v2, x86-64-v3 or x86-64-v4")
  endif()
  set(${result} "${flags}" PARENT_SCOPE)
endfunction()

# Builds `target` for `level`: PRIVATE, or PUBLIC for what links to it, too.
function(condens_set_level target scope level)
  condens_level_flags(flags ${level})
  target_compile_options(${target} ${scope} ${flags})
endfunction()
