# Compiles the numbers of the paper's tables into a target, so that reports need no files but the runs.
function(schemamem_paper_numbers target)
  set(file ${PROJECT_SOURCE_DIR}/src/report/data/paper_numbers.json)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} SCHEMAMEM_PAPER_NUMBERS)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/paper_numbers.cpp.in ${PROJECT_BINARY_DIR}/generated/paper_numbers_data.cpp
                 @ONLY)
  target_sources(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated/paper_numbers_data.cpp)
endfunction()
