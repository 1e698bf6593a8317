# The oracle pool and its comparison with weir (tests/oracle): a test program everywhere, and with
# WEIR_FUZZ, which needs clang, the fuzzers fuzz_programs, fuzz_timers of the timer queue, and
# fuzz_cron of cron expressions.
# tools/fuzz builds and runs them.
option(WEIR_FUZZ "Build the fuzzer; everything is instrumented for it" OFF)

file(GLOB oracle_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/oracle/*.cpp")
weir_add_test(test_oracle CONCURRENT SOURCES ${oracle_sources})
target_compile_definitions(test_oracle
                           PRIVATE "WEIR_FUZZ_CORPUS=\"${PROJECT_SOURCE_DIR}/tests/fuzz/corpus.hex\"")

if(WEIR_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "WEIR_FUZZ needs clang with its libFuzzer, and the compiler is "
                        "${CMAKE_CXX_COMPILER}; tools/fuzz configures a tree of its own")
  endif()
  set(fuzz_sources ${oracle_sources})
  list(FILTER fuzz_sources EXCLUDE REGEX "_test\\.cpp$")
  weir_room_sources(fuzz_core_sources base sync task time executor pool)
  # The fuzzer is led by what weir does; the oracle would only show it the same things again.
  add_library(fuzz_core OBJECT ${fuzz_core_sources})
  target_compile_options(fuzz_core PRIVATE -fsanitize=fuzzer-no-link)
  add_executable(fuzz_programs "${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_programs.cpp"
                               ${fuzz_sources})
  weir_room_sources(fuzz_cron_sources cron)
  add_library(fuzz_cron_core OBJECT ${fuzz_cron_sources})
  target_compile_options(fuzz_cron_core PRIVATE -fsanitize=fuzzer-no-link)
  find_package(date CONFIG REQUIRED)
  target_link_libraries(fuzz_cron_core PUBLIC date::date-tz)
  add_executable(fuzz_cron "${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_cron.cpp")
  target_link_libraries(fuzz_cron PRIVATE fuzz_cron_core)
  add_executable(fuzz_timers "${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_timers.cpp")
  foreach(target fuzz_core fuzz_cron_core fuzz_programs fuzz_timers fuzz_cron)
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/include"
                                                 "${PROJECT_SOURCE_DIR}/tests")
    target_link_libraries(${target} PRIVATE weir_options Threads::Threads)
    target_compile_features(${target} PRIVATE cxx_std_20)
    target_compile_options(${target} PRIVATE -fsanitize=address -O1 -g)
  endforeach()
  foreach(target fuzz_programs fuzz_timers fuzz_cron)
    target_link_libraries(${target} PRIVATE fuzz_core)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer,address)
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                                               "${PROJECT_BINARY_DIR}/tests")
  endforeach()
endif()
