# Installs the rooms, their headers and the program, so that another project can say
#   find_package(schemamem REQUIRED)
#   target_link_libraries(theirs PRIVATE schemamem::schemamem)   # or a single room: schemamem::kernels
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

function(schemamem_package program)
  get_property(rooms GLOBAL PROPERTY SCHEMAMEM_ROOMS)
  add_library(schemamem_all INTERFACE)
  add_library(schemamem::schemamem ALIAS schemamem_all)
  set_target_properties(schemamem_all PROPERTIES EXPORT_NAME schemamem)
  set(targets schemamem_all)
  foreach(room IN LISTS rooms)
    target_link_libraries(schemamem_all INTERFACE schemamem_${room})
    set_target_properties(schemamem_${room} PROPERTIES EXPORT_NAME ${room})
    add_library(schemamem::${room} ALIAS schemamem_${room})
    list(APPEND targets schemamem_${room})
    if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/src/${room})
      install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/${room} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/schemamem
              FILES_MATCHING PATTERN "*.h" PATTERN reference EXCLUDE)
    endif()
  endforeach()
  add_custom_target(rooms DEPENDS ${targets})

  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/schemamem)
  install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(TARGETS ${targets} EXPORT schemamemTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT schemamemTargets NAMESPACE schemamem:: DESTINATION ${folder})
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/schemamemConfig.cmake.in
                                ${PROJECT_BINARY_DIR}/schemamemConfig.cmake INSTALL_DESTINATION ${folder})
  # Before 1.0 a minor version may change the interface.
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/schemamemConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/schemamemConfig.cmake ${PROJECT_BINARY_DIR}/schemamemConfigVersion.cmake
          DESTINATION ${folder})
endfunction()
