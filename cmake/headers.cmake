# The libraries of headers alone that the library is made of: those of the system, or in the folders CONDENS_HEADERS,
# which a source package of another language brings along (r/package).
set(CONDENS_HEADERS "" CACHE STRING "Folders with the headers of Eigen, Boost, nlohmann-json, LBFGSpp and nanoflann;
  empty: those of the system")

if(CONDENS_HEADERS)
  foreach(target IN ITEMS Eigen3::Eigen nlohmann_json::nlohmann_json)
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${target} SYSTEM INTERFACE ${CONDENS_HEADERS})
  endforeach()
  find_path(Boost_INCLUDE_DIRS boost/math/distributions/normal.hpp PATHS ${CONDENS_HEADERS} REQUIRED)
else()
  find_package(Eigen3 3.4 REQUIRED NO_MODULE)
  find_package(Boost 1.74 REQUIRED)
  find_package(nlohmann_json 3.11 REQUIRED)
endif()
find_path(LBFGSPP_INCLUDE_DIR LBFGSpp/BFGSMat.h PATHS ${CONDENS_HEADERS} REQUIRED)
find_path(NANOFLANN_INCLUDE_DIR nanoflann.hpp PATHS ${CONDENS_HEADERS} REQUIRED)
