# What other projects build against: find_package(bankshot) and pkg-config.
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/bankshot)

set(MODELS_DIR ${CMAKE_INSTALL_DATADIR}/bankshot/models)
configure_package_config_file(.cmake/bankshotConfig.cmake.in bankshotConfig.cmake
                              INSTALL_DESTINATION ${package} PATH_VARS MODELS_DIR)
write_basic_package_version_file(bankshotConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/bankshotConfig.cmake
              ${PROJECT_BINARY_DIR}/bankshotConfigVersion.cmake DESTINATION ${package})
install(EXPORT bankshot NAMESPACE bankshot:: FILE bankshotTargets.cmake DESTINATION ${package})

# Relative to the .pc file, so that an installation can be moved.
file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
foreach(library bankshot bankshot-traces)
    configure_file(.cmake/${library}.pc.in ${library}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${library}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
