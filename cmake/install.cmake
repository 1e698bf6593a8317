include(CMakePackageConfigHelpers)

set(config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/weir")

install(TARGETS weir EXPORT weir_weir FILE_SET HEADERS)
install(EXPORT weir_weir NAMESPACE weir:: FILE weir-weir.cmake DESTINATION "${config_dir}")
if(TARGET weir_trace)
  install(TARGETS weir_trace EXPORT weir_trace)
  install(EXPORT weir_trace NAMESPACE weir:: FILE weir-trace.cmake DESTINATION "${config_dir}")
endif()
if(TARGET weir_prometheus)
  install(TARGETS weir_prometheus EXPORT weir_prometheus)
  install(EXPORT weir_prometheus NAMESPACE weir:: FILE weir-prometheus.cmake
          DESTINATION "${config_dir}")
endif()
if(TARGET weir_cron)
  install(TARGETS weir_cron EXPORT weir_cron)
  install(EXPORT weir_cron NAMESPACE weir:: FILE weir-cron.cmake DESTINATION "${config_dir}")
endif()

configure_package_config_file(cmake/weir-config.cmake.in weir-config.cmake
                              INSTALL_DESTINATION "${config_dir}")
write_basic_package_version_file(weir-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/weir-config.cmake"
              "${PROJECT_BINARY_DIR}/weir-config-version.cmake" DESTINATION "${config_dir}")

# Relative to where the file itself lies, so that an installed tree may be moved.
file(RELATIVE_PATH weir_pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" weir_pc_prefix "${weir_pc_prefix}")
configure_file(cmake/weir.pc.in weir.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/weir.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

if(TARGET weir_cli)
  install(TARGETS weir_cli)
endif()
if(TARGET weir_pages)
  install(FILES "${PROJECT_BINARY_DIR}/weir.man" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1"
          RENAME weir.1)
  install(FILES "${PROJECT_BINARY_DIR}/weir.bash"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME weir)
endif()
