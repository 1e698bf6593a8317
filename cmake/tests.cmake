# One test program per room, test_<room>, and one per kind of test that crosses rooms. What a
# sanitizer must see is marked CONCURRENT; the target sanitized_tests builds just that.
find_package(GTest REQUIRED)

set(test_manifest "")
add_custom_target(sanitized_tests)

# What every test includes is compiled once. The tests themselves need no optimiser, and compile
# twice as fast without; the library that they are linked with has its own flags.
file(WRITE "${PROJECT_BINARY_DIR}/tests/common.cpp" "")
add_library(test_common OBJECT "${PROJECT_BINARY_DIR}/tests/common.cpp")
target_precompile_headers(test_common PRIVATE <gtest/gtest.h> <gmock/gmock.h>
                                              "${PROJECT_SOURCE_DIR}/include/weir/thread_pool.hpp")

function(weir_test_options target)
  # For "support/gate.hpp" and its like in tests/support.
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(${target} PRIVATE weir weir_options GTest::gtest_main GTest::gmock)
  if(WEIR_SANITIZE STREQUAL "")
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()
weir_test_options(test_common)

# weir_add_test(<name> [CONCURRENT] SOURCES <file>... LINK <target>...): targets that do not exist
# are left out, for rooms that are switched off.
function(weir_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "CONCURRENT" "" "SOURCES;LINK")
  if(NOT arg_SOURCES)
    return()
  endif()
  add_executable(${name} ${arg_SOURCES})
  weir_test_options(${name})
  target_precompile_headers(${name} REUSE_FROM test_common)
  foreach(part IN LISTS arg_LINK)
    if(TARGET ${part})
      target_link_libraries(${name} PRIVATE ${part})
    endif()
  endforeach()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  add_test(NAME ${name} COMMAND ${name})
  set(kind "plain")
  if(arg_CONCURRENT)
    set(kind "concurrent")
    set_tests_properties(${name} PROPERTIES LABELS concurrent)
    add_dependencies(sanitized_tests ${name})
  endif()
  set(test_manifest "${test_manifest}${kind} ${name}\n" PARENT_SCOPE)
endfunction()

foreach(room base)
  weir_room_tests(files ${room})
  weir_add_test(test_${room} SOURCES ${files})
endforeach()
foreach(room sync task time executor pool forkjoin)
  weir_room_tests(files ${room})
  weir_add_test(test_${room} CONCURRENT SOURCES ${files})
endforeach()

if(TARGET weir_trace)
  weir_room_tests(files observe)
  if(NOT TARGET weir_prometheus)
    list(FILTER files EXCLUDE REGEX "/prometheus_test\\.cpp$")
  endif()
  weir_add_test(test_observe SOURCES ${files} LINK weir_trace weir_prometheus
                nlohmann_json::nlohmann_json)
endif()
if(TARGET weir_cron)
  find_package(rapidcheck REQUIRED)
  weir_room_tests(files cron)
  file(GLOB crossing CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/cron/*_test.cpp")
  weir_add_test(test_cron CONCURRENT SOURCES ${files} ${crossing} LINK weir_cron rapidcheck)
  # What tools/cron_oracle asks.
  add_executable(cron_answers tests/cron/cron_answers.cpp)
  target_link_libraries(cron_answers PRIVATE weir_cron weir_options)
  set_target_properties(cron_answers PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                                                "${PROJECT_BINARY_DIR}/tests")
endif()
if(TARGET weir_process)
  weir_room_tests(files process)
  weir_add_test(test_process CONCURRENT SOURCES ${files} LINK weir_process)
endif()
if(TARGET weir_commands)
  weir_room_tests(files cli)
  weir_add_test(test_cli SOURCES ${files} LINK weir_commands)
endif()

foreach(kind stress edges property conformance regression)
  file(GLOB files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${kind}/*.cpp")
  if(kind STREQUAL "property" AND files)
    find_package(rapidcheck REQUIRED)
  endif()
  set(flags "")
  if(kind MATCHES "stress|edges|conformance")
    set(flags CONCURRENT)
  endif()
  weir_add_test(test_${kind} ${flags} SOURCES ${files} LINK weir_process weir_trace rapidcheck)
endforeach()

include(cmake/model.cmake)
include(cmake/fuzz.cmake)

# tools/run_tests reads this, so that a program left over from an older tree is never run.
file(WRITE "${PROJECT_BINARY_DIR}/tests/manifest.txt" "${test_manifest}")
