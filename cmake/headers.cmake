# The libraries of headers alone that the library is made of: those of the system, or in the folders CONDENS_HEADERS,
# which a source package of another language brings along (r/package).
set(CONDENS_HEADERS "" CACHE STRING "Folders with the headers of Eigen, Boost, nlohmann-json, LBFGSpp and nanoflann;
  empty: those of the system")

if(EMSCRIPTEN AND NOT CONDENS_HEADERS)
  # For another machine than this one, whose other headers must not be seen.
  set(CONDENS_HEADERS ${PROJECT_BINARY_DIR}/headers)
  file(MAKE_DIRECTORY ${CONDENS_HEADERS})
  foreach(header IN ITEMS eigen3/Eigen boost nlohmann LBFGSpp LBFGS.h LBFGSB.h nanoflann.hpp)
    cmake_path(GET header FILENAME name)
    file(CREATE_LINK /usr/include/${header} ${CONDENS_HEADERS}/${name} SYMBOLIC)
  endforeach()
endif()
if(CONDENS_HEADERS)
  foreach(target IN ITEMS Eigen3::Eigen nlohmann_json::nlohmann_json)
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${target} SYSTEM INTERFACE ${CONDENS_HEADERS})
  endforeach()
  find_path(Boost_INCLUDE_DIRS boost/math/distributions/normal.hpp PATHS ${CONDENS_HEADERS} NO_CMAKE_FIND_ROOT_PATH REQUIRED)
else()
  find_package(Eigen3 3.4 REQUIRED NO_MODULE)
  find_package(Boost 1.74 REQUIRED)
  find_package(nlohmann_json 3.11 REQUIRED)
endif()
find_path(LBFGSPP_INCLUDE_DIR LBFGSpp/BFGSMat.h PATHS ${CONDENS_HEADERS} NO_CMAKE_FIND_ROOT_PATH REQUIRED)
find_path(NANOFLANN_INCLUDE_DIR nanoflann.hpp PATHS ${CONDENS_HEADERS} NO_CMAKE_FIND_ROOT_PATH REQUIRED)
