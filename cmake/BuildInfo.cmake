# Adds the source behind base/build_info.h to a target. The commit is asked for at every build and the file written
# only when its content changes, so a build without a change compiles nothing.
#
# Run as a script (cmake -P), it writes that file.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(SCHEMAMEM_BUILD_INFO_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
  function(schemamem_build_info target)
    set(generated ${PROJECT_BINARY_DIR}/generated/build_info.cpp)
    find_package(Git QUIET)
    add_custom_target(schemamem_build_info
      COMMAND ${CMAKE_COMMAND} -Dgit=${GIT_EXECUTABLE} -Dsource=${PROJECT_SOURCE_DIR} -Doutput=${generated}
              -Dversion=${PROJECT_VERSION} -Dbuild_type=$<CONFIG>
              "-Dcompiler=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
              -P ${SCHEMAMEM_BUILD_INFO_SCRIPT}
      BYPRODUCTS ${generated} COMMENT "Noting version and commit" VERBATIM)
    target_sources(${target} PRIVATE ${generated})
    add_dependencies(${target} schemamem_build_info)
  endfunction()
  return()
endif()

function(ask_git variable)
  execute_process(COMMAND ${git} -C ${source} ${ARGN} OUTPUT_VARIABLE answer RESULT_VARIABLE failed ERROR_QUIET
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    set(answer "")
  endif()
  set(${variable} "${answer}" PARENT_SCOPE)
endfunction()

set(commit unknown)
if(git AND EXISTS ${source}/.git)  # not the commit of a repository that merely contains this source tree
  ask_git(head rev-parse HEAD)
  ask_git(changes status --porcelain --untracked-files=no)
  if(head)
    set(commit ${head})
    if(changes)
      string(APPEND commit "-dirty")
    endif()
  endif()
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/build_info.cpp.in ${output} @ONLY)
