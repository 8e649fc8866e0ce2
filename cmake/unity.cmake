# Files of one folder compiled as one unit: they share what they include and Eigen's templates. Hence no two files of a
# folder have a name of file scope in common. With -D CONDENS_UNITY=OFF one by one, for work on one of them.
#
# CMake's own UNITY_BUILD keeps its units in a folder of the target. Ours lie at one place in every build folder, so that
# ccache takes the library of the Python package for that of the command, which it is, where both are built in folders
# of one depth (it rewrites paths to relative ones).
option(CONDENS_UNITY "Compile the files of a folder together" ON)

# condens_units(RESULT MOST SOURCE...): units of at most MOST files of a folder; with CONDENS_UNITY=OFF the sources.
function(condens_units result most)
  if(NOT CONDENS_UNITY)
    set(${result} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(folders "")
  foreach(source IN LISTS ARGN)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    list(APPEND folders ${folder})
    list(APPEND files_of_${folder} ${source})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set(units "")
  foreach(folder IN LISTS folders)
    list(LENGTH files_of_${folder} count)
    math(EXPR parts "(${count} + ${most} - 1) / ${most}")
    foreach(part RANGE 1 ${parts})
      math(EXPR begin "${count} * (${part} - 1) / ${parts}")
      math(EXPR size "${count} * ${part} / ${parts} - ${begin}")
      list(SUBLIST files_of_${folder} ${begin} ${size} files)
      set(unit ${PROJECT_BINARY_DIR}/units/${folder}_${part}.cpp)
      # By relative paths: the unit of a clone elsewhere is the same text, and ccache has it.
      set(text "")
      foreach(file IN LISTS files)
        cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_BINARY_DIR}/units)
        string(APPEND text "#include \"${file}\"\n")
      endforeach()
      file(CONFIGURE OUTPUT ${unit} CONTENT "${text}" @ONLY)
      list(APPEND units ${unit})
    endforeach()
  endforeach()
  # GCC takes what a unit includes for headers, where a class of the file's own namespace would be many.
  set_property(SOURCE ${units} PROPERTY COMPILE_OPTIONS $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  set(${result} ${units} PARENT_SCOPE)
endfunction()
