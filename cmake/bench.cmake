# Every bench/run/<name>.cpp is a program bench_run_<name>.
file(GLOB bench_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/run/*.cpp")
foreach(source IN LISTS bench_sources)
  cmake_path(GET source STEM name)
  add_executable(bench_run_${name} "${source}")
  target_link_libraries(bench_run_${name} PRIVATE weir weir_options)
  if(TARGET weir_process)
    target_link_libraries(bench_run_${name} PRIVATE weir_process)
  endif()
  set_target_properties(bench_run_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                                                     "${PROJECT_BINARY_DIR}/bench")
endforeach()

# weir_bench measures the pool beside its peers. A peer takes part where its library is found.
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
file(GLOB weir_bench_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/harness/*.cpp")
add_executable(weir_bench bench/main.cpp ${weir_bench_sources} bench/systems/weir.cpp
                          bench/systems/weir_fork.cpp
                          bench/systems/naive.cpp bench/systems/heap.cpp)
target_include_directories(weir_bench PRIVATE "${PROJECT_SOURCE_DIR}/bench")
target_link_libraries(weir_bench PRIVATE weir weir_warnings CLI11::CLI11
                                         nlohmann_json::nlohmann_json)
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
target_compile_definitions(
  weir_bench
  PRIVATE "WEIR_BENCH_COMPILER=\"${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}\""
          "WEIR_BENCH_FLAGS=\"${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}\"")
set_target_properties(weir_bench PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bench")

# weir_bench_peer(<name> <macro> <target>)
function(weir_bench_peer name macro target)
  message(STATUS "bench: measuring beside ${name}")
  target_sources(weir_bench PRIVATE "${PROJECT_SOURCE_DIR}/bench/systems/${name}.cpp")
  target_compile_definitions(weir_bench PRIVATE ${macro})
  target_link_libraries(weir_bench PRIVATE ${target})
endfunction()

find_package(TBB QUIET)
if(TBB_FOUND)
  weir_bench_peer(tbb WEIR_BENCH_TBB TBB::tbb)
endif()
find_package(OpenMP QUIET COMPONENTS CXX)
if(OpenMP_CXX_FOUND)
  weir_bench_peer(openmp WEIR_BENCH_OPENMP OpenMP::OpenMP_CXX)
endif()
find_path(weir_bench_asio asio.hpp)
if(weir_bench_asio)
  weir_bench_peer(asio WEIR_BENCH_ASIO Threads::Threads)
  target_compile_definitions(weir_bench PRIVATE ASIO_NO_DEPRECATED)
endif()
find_library(weir_bench_uv uv)
find_path(weir_bench_uv_headers uv.h)
if(weir_bench_uv AND weir_bench_uv_headers)
  weir_bench_peer(libuv WEIR_BENCH_LIBUV "${weir_bench_uv}")
endif()
