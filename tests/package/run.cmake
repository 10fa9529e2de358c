# Installs the build into an empty folder, then configures, builds and runs the consumer against it.
#   cmake -Dbuild=... -Dversion=... -Dcompiler=... -P run.cmake
set(work ${build}/package_test)
file(REMOVE_RECURSE ${work})
function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${code}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/prefix)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${work}/consumer -G Ninja -DCMAKE_CXX_COMPILER=${compiler}
    -DCMAKE_PREFIX_PATH=${work}/prefix -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${work}/consumer)
run(${work}/consumer/consumer)
if(NOT output STREQUAL "${version}\n")
  message(FATAL_ERROR "the installed library calls itself '${output}', expected '${version}'")
endif()
run(${work}/prefix/bin/schemamem --version)
