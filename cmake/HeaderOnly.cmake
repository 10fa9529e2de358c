# For the Python extension (-DSCHEMAMEM_PYTHON=ON), which must need nothing that a wheel would have to bring along, and for
# another processor, for which this machine has no libraries: those that have a header-only form are used in that form, from
# copies of their folders. A compiler of another C library must not see the rest of /usr/include.
# schemamem_header_only(target header definitions...): `header` with its folder, such as fmt/format.h
function(schemamem_header_only target header)
  get_filename_component(folder ${header} DIRECTORY)
  find_path(SCHEMAMEM_${folder}_HEADERS ${header} REQUIRED DOC "Where the folder ${folder} with headers is")
  if(NOT EXISTS ${PROJECT_BINARY_DIR}/headers/${folder})
    file(COPY ${SCHEMAMEM_${folder}_HEADERS}/${folder} DESTINATION ${PROJECT_BINARY_DIR}/headers)
  endif()
  add_library(${target} INTERFACE IMPORTED)
  target_include_directories(${target} INTERFACE ${PROJECT_BINARY_DIR}/headers)
  target_compile_definitions(${target} INTERFACE ${ARGN})
endfunction()

schemamem_header_only(fmt::fmt fmt/format.h FMT_HEADER_ONLY=1)
schemamem_header_only(nlohmann_json::nlohmann_json nlohmann/json.hpp)
schemamem_header_only(tomlplusplus::tomlplusplus toml++/toml.h)
add_library(CLI11::CLI11 INTERFACE IMPORTED)  # of the program, which neither of the two builds
