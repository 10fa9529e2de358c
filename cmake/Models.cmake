# The models of the package: <prefix>/share/schemamem/models/<name>.safetensors, where programs and the library find them
# by name.
include(GNUInstallDirs)
set(SCHEMAMEM_MODELS_DIR ${CMAKE_INSTALL_DATADIR}/schemamem/models)

# Adds the source behind installed_models() of catalog/places.h to a target.
function(schemamem_model_places target)
  cmake_path(ABSOLUTE_PATH SCHEMAMEM_MODELS_DIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} NORMALIZE OUTPUT_VARIABLE folder)
  set(from_program ${folder})
  set(from_library ${folder})
  cmake_path(RELATIVE_PATH from_program BASE_DIRECTORY ${CMAKE_INSTALL_FULL_BINDIR})
  cmake_path(RELATIVE_PATH from_library BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/installed_models.cpp.in ${PROJECT_BINARY_DIR}/generated/installed_models.cpp
                 @ONLY)
  target_sources(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated/installed_models.cpp)
endfunction()

# The published checkpoints of seed 42: of the recipe `steady` every model in every setting, and what there is of `endless`.
# results/steady/gdn-A3V3-steady-s42-b4c11230/model.safetensors becomes a3v3-gdn-steady-s42.safetensors.
# schemamem_install_models(folder [COMPONENT component])
function(schemamem_install_models destination)
  foreach(recipe IN ITEMS steady endless)
    file(GLOB folders CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/results/${recipe}/*-${recipe}-s42-*)
    foreach(folder IN LISTS folders)
      cmake_path(GET folder FILENAME run)
      if(EXISTS ${folder}/model.safetensors AND run MATCHES "^([a-z0-9]+)-(A[0-9]+V[0-9]+)-${recipe}-s42-")
        string(TOLOWER ${CMAKE_MATCH_2} setting)
        install(FILES ${folder}/model.safetensors DESTINATION ${destination} ${ARGN}
                RENAME ${setting}-${CMAKE_MATCH_1}-${recipe}-s42.safetensors)
      endif()
    endforeach()
  endforeach()
endfunction()
