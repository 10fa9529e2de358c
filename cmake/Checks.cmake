# The checks of the repository itself, as tests of the release build. `make test` runs them with the unit tests, so
# one summary covers everything. Labels: unit, rules, package, pipeline, clang, wasm, sanitizers, fuzz, extras.
set(scripts ${PROJECT_SOURCE_DIR}/scripts)

add_test(NAME package.an_installed_library_serves_another_project
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/package/run.sh ${PROJECT_BINARY_DIR} ${PROJECT_VERSION} ${CMAKE_CXX_COMPILER})
set_tests_properties(package.an_installed_library_serves_another_project PROPERTIES LABELS package)

# Plan, train, evaluate, ablate, tables, figures, page; and variants of a recipe.
add_test(NAME pipeline.runs_become_the_papers_results COMMAND ${scripts}/test_pipeline.sh $<TARGET_FILE:schemamem>)
add_test(NAME pipeline.a_search_goes_on_from_its_record COMMAND ${scripts}/test_search.sh $<TARGET_FILE:schemamem>)
set_tests_properties(pipeline.runs_become_the_papers_results pipeline.a_search_goes_on_from_its_record
                     PROPERTIES LABELS pipeline)

# A conversation of damaged lines: an answer to each, and no more memory at its end.
add_test(NAME talk.a_hundred_thousand_fuzzed_lines_are_answered_in_constant_memory
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/talk/fuzzed_lines.py $<TARGET_FILE:schemamem>)
set_tests_properties(talk.a_hundred_thousand_fuzzed_lines_are_answered_in_constant_memory PROPERTIES LABELS fuzz)

# The committed module of the explorer is of these sources.
add_test(NAME wasm.the_module_is_of_these_sources COMMAND ${scripts}/wasm.sh --check)
set_tests_properties(wasm.the_module_is_of_these_sources PROPERTIES LABELS wasm)

# The sanitizer build below has one instruction set: a look by the front end of clang at the widest.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(clang_options ${SCHEMAMEM_OPTIONS})
  list(REMOVE_ITEM clang_options -Wno-restrict)
  add_test(NAME clang.the_widest_kernels_compile_without_a_warning
           COMMAND ${scripts}/check_isa.sh avx512 *.isa.cpp clang++-14 ${clang_options} ${SCHEMAMEM_FLAGS_avx512})
  set_tests_properties(clang.the_widest_kernels_compile_without_a_warning PROPERTIES LABELS clang PROCESSORS 2)
endif()

# The preset `dev` has ASan and UBSan: here for the rooms that work on raw memory and for the fuzz targets; all the others
# are a second build of everything and left to `make test-sanitizers`.
set(dev ${PROJECT_SOURCE_DIR}/build-dev)
list(GET SCHEMAMEM_ISAS 0 least)
set(programs kernels_test kernels_${least}_test models_test tensors_test stream_test train_test)
add_test(NAME sanitizers.clang_builds_what_works_on_raw_memory COMMAND ${scripts}/build_preset.sh dev fuzz_targets ${programs})
set_tests_properties(sanitizers.clang_builds_what_works_on_raw_memory PROPERTIES
                     LABELS sanitizers FIXTURES_SETUP dev_build PROCESSORS 2 TIMEOUT 1500)
foreach(program IN LISTS programs)
  # Hundreds of forward passes at the paper's sizes show memory errors no better than one.
  add_test(NAME sanitizers.${program} COMMAND ${dev}/tests/${program} --gtest_brief=1
           --gtest_filter=-*FiniteDifferences.AreTheGradientsAtTheSizesOfThePaper*:*SchemaMemEngine*/paper_*)
  set_tests_properties(sanitizers.${program} PROPERTIES LABELS sanitizers FIXTURES_REQUIRED dev_build)
endforeach()
# The longest first: all the others fit beside it. Of the two long ones a part, the rest on other days; `make
# test-sanitizers` runs all.
string(TIMESTAMP now "%s" UTC)
foreach(parts IN ITEMS models_test=5 train_test=3)
  string(REPLACE "=" ";" parts ${parts})
  list(GET parts 0 program)
  list(GET parts 1 count)
  math(EXPR today "${now} / 86400 % ${count}")
  set_tests_properties(sanitizers.${program} PROPERTIES COST 1000
                       ENVIRONMENT "GTEST_TOTAL_SHARDS=${count};GTEST_SHARD_INDEX=${today}")
endforeach()

set(SCHEMAMEM_FUZZ_SECONDS 30 CACHE STRING "How long `make test` runs a fuzz target")
set(SCHEMAMEM_FUZZ_TARGETS 2 CACHE STRING "How many targets `make test` runs for so long, others every day")
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/*_fuzz.cpp)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  string(REGEX REPLACE "_fuzz$" "" name ${name})
  add_test(NAME fuzz.${name}_takes_its_seeds COMMAND ${scripts}/fuzz.sh ${dev}/fuzz seeds ${name})
  set_tests_properties(fuzz.${name}_takes_its_seeds PROPERTIES LABELS fuzz FIXTURES_REQUIRED dev_build)
endforeach()
add_test(NAME fuzz.some_targets_in_rotation
         COMMAND ${scripts}/fuzz.sh ${dev}/fuzz ${SCHEMAMEM_FUZZ_SECONDS} --rotate ${SCHEMAMEM_FUZZ_TARGETS})
set_tests_properties(fuzz.some_targets_in_rotation PROPERTIES LABELS fuzz FIXTURES_REQUIRED dev_build COST 900)

# tests/extras/<name>_test.py runs in .venv (`make test-extras`) and finds the program in SCHEMAMEM_PROGRAM. Exit code
# 77 means that something it needs could not be installed.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/extras/*_test.py)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  add_test(NAME extras.${name} COMMAND ${PROJECT_SOURCE_DIR}/.venv/bin/python ${source})
  set_tests_properties(extras.${name} PROPERTIES LABELS extras SKIP_RETURN_CODE 77
                       ENVIRONMENT "SCHEMAMEM_PROGRAM=$<TARGET_FILE:schemamem>")
endforeach()

file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/rules/*.cpp)
add_executable(rules_test ${sources})
target_include_directories(rules_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_features(rules_test PRIVATE cxx_std_20)
target_compile_definitions(rules_test PRIVATE SCHEMAMEM_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                              SCHEMAMEM_BINARY_DIR="${PROJECT_BINARY_DIR}"
                                              SCHEMAMEM_BUILD_TYPE="$<CONFIG>")
target_compile_options(rules_test PRIVATE ${SCHEMAMEM_OPTIONS} -O1)  # regular expressions compile slowly
target_link_libraries(rules_test PRIVATE GTest::gmock GTest::gtest_main)
add_dependencies(rules_test schemamem)
gtest_discover_tests(rules_test DISCOVERY_TIMEOUT 60 TEST_PREFIX "rules." PROPERTIES LABELS rules)
