# Compiles a file into a target as the text that `std::string_view schemamem::<function>()` gives; `header` declares it.
function(schemamem_embed target function header file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
  file(READ ${PROJECT_SOURCE_DIR}/${file} SCHEMAMEM_EMBED_TEXT)
  set(SCHEMAMEM_EMBED_FUNCTION ${function})
  set(SCHEMAMEM_EMBED_HEADER ${header})
  set(source ${PROJECT_BINARY_DIR}/generated/${function}.cpp)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/embed.cpp.in ${source} @ONLY)
  # The length that the standard promises for a literal is a lower limit; GCC and Clang have none.
  set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
  target_sources(${target} PRIVATE ${source})
endfunction()
