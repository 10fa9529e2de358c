# The libraries that others use, and their installation: headers of include/schemamem, libschemamem.so and .a, models,
# the program, find_package, pkg-config, and a Debian package.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# libschemamem.so, whose only symbols are those of the public interface, and libschemamem.a, of the first room and of
# the others, all that it needs.
function(schemamem_libraries api)
  set(objects "")
  foreach(room IN ITEMS ${api} ${ARGN})
    list(APPEND objects $<TARGET_OBJECTS:schemamem_${room}>)
    foreach(isa IN LISTS SCHEMAMEM_ISAS)
      if(TARGET schemamem_${room}_${isa})
        list(APPEND objects $<TARGET_OBJECTS:schemamem_${room}_${isa}>)
      endif()
    endforeach()
  endforeach()
  add_library(schemamem_static STATIC ${objects})
  target_link_libraries(schemamem_static PUBLIC Threads::Threads fmt::fmt tomlplusplus::tomlplusplus)

  set(exports ${PROJECT_SOURCE_DIR}/cmake/exports.map)
  add_library(schemamem_shared SHARED ${objects})
  # Before 1.0 a minor version may change the interface.
  set_target_properties(schemamem_shared PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} EXPORT_NAME schemamem
    LINK_DEPENDS ${exports})
  target_link_libraries(schemamem_shared PRIVATE Threads::Threads fmt::fmt tomlplusplus::tomlplusplus)
  target_link_options(schemamem_shared PRIVATE -Wl,--version-script=${exports}
                                               $<$<CONFIG:Release>:-Wl,-z,defs>)  # sanitizers leave theirs to the program
  add_library(schemamem::schemamem ALIAS schemamem_shared)
  add_library(schemamem::schemamem_static ALIAS schemamem_static)
  foreach(library schemamem_static schemamem_shared)
    set_target_properties(${library} PROPERTIES OUTPUT_NAME schemamem LINKER_LANGUAGE CXX
                                                INTERFACE_COMPILE_FEATURES cxx_std_20)
    target_include_directories(${library} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  endforeach()
  add_custom_target(libraries DEPENDS schemamem_shared schemamem_static)

  file(READ ${PROJECT_SOURCE_DIR}/include/schemamem/version.h header)
  if(NOT header MATCHES "kVersion = \"${PROJECT_VERSION}\"")
    message(FATAL_ERROR "include/schemamem/version.h has another version than the project, ${PROJECT_VERSION}: make them the same")
  endif()
endfunction()

function(schemamem_package program)
  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/schemamem)
  install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/schemamem DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  # Two lists of targets: who uses the shared library needs nothing else, so nothing else is looked for.
  install(TARGETS schemamem_shared EXPORT schemamemTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(TARGETS schemamem_static EXPORT schemamemStaticTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT schemamemTargets NAMESPACE schemamem:: DESTINATION ${folder})
  install(EXPORT schemamemStaticTargets NAMESPACE schemamem:: DESTINATION ${folder})
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/schemamemConfig.cmake.in
                                ${PROJECT_BINARY_DIR}/schemamemConfig.cmake INSTALL_DESTINATION ${folder})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/schemamemConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/schemamemConfig.cmake ${PROJECT_BINARY_DIR}/schemamemConfigVersion.cmake
          DESTINATION ${folder})

  # Paths from the file's own place, so that an installation can be moved as a whole.
  set(pkgconfig ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
             OUTPUT_VARIABLE prefix_from_pkgconfig)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/schemamem.pc.in ${PROJECT_BINARY_DIR}/schemamem.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/schemamem.pc DESTINATION ${pkgconfig})

  # `make deb`
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_NAME schemamem)
  set(CPACK_PACKAGE_CONTACT "The SchemaMem software contributors")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
  include(CPack)
endfunction()
