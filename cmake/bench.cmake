# Every bench/<kind>/<name>.cpp is a program bench_<kind>_<name>.
file(GLOB bench_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/*/*.cpp")
foreach(source IN LISTS bench_sources)
  cmake_path(GET source STEM name)
  cmake_path(GET source PARENT_PATH folder)
  cmake_path(GET folder FILENAME kind)
  add_executable(bench_${kind}_${name} "${source}")
  target_link_libraries(bench_${kind}_${name} PRIVATE weir weir_options)
  if(TARGET weir_process)
    target_link_libraries(bench_${kind}_${name} PRIVATE weir_process)
  endif()
  set_target_properties(bench_${kind}_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                                                         "${PROJECT_BINARY_DIR}/bench")
endforeach()
