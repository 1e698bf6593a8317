# The deterministic explorer and what it explores: docs/design/model.md. weir's own sources are
# compiled a second time, bound to the explorer by the seam, and instrumented as for
# ThreadSanitizer, whose runtime is not linked: the explorer is told of every access instead. That
# leaves no room for another sanitizer.
if(NOT WEIR_SANITIZE STREQUAL "")
  return()
endif()

function(weir_model_options target)
  target_include_directories(
    ${target} PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(${target} PRIVATE weir_options GTest::gtest Threads::Threads)
  target_compile_definitions(${target} PRIVATE "WEIR_SYNC_SEAM=\"model/seam.hpp\"")
  target_compile_features(${target} PRIVATE cxx_std_20)
  # At fixed addresses, so that a failure can name lines.
  target_compile_options(${target} PRIVATE -O2 -fno-pie)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
endfunction()

# weir_model_program(<name> EXPLORED <file>... [DEFINE <macro>...])
function(weir_model_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "EXPLORED;DEFINE")
  # What src/sync and src/base do for a real program, tests/model/port.cpp does here.
  list(FILTER arg_EXPLORED EXCLUDE REGEX "/(base/assert|sync/futex|sync/fork|sync/thread)\\.cpp$")
  add_library(${name}_explored OBJECT ${arg_EXPLORED})
  weir_model_options(${name}_explored)
  target_compile_definitions(${name}_explored PRIVATE ${arg_DEFINE})
  target_compile_options(${name}_explored PRIVATE -fsanitize=thread)
  add_executable(${name} $<TARGET_OBJECTS:model_explorer> $<TARGET_OBJECTS:${name}_explored>)
  target_link_libraries(${name} PRIVATE GTest::gtest Threads::Threads)
  target_link_options(${name} PRIVATE -no-pie)
  set_target_properties(
    ${name} PROPERTIES LINKER_LANGUAGE CXX RUNTIME_OUTPUT_DIRECTORY
                                           "${PROJECT_BINARY_DIR}/tests")
  add_test(NAME ${name} COMMAND ${name})
  set(test_manifest "${test_manifest}plain ${name}\n" PARENT_SCOPE)
endfunction()

file(GLOB model_kernels CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/model/kernel_*.cpp"
                                          "${PROJECT_SOURCE_DIR}/tests/model/*_test.cpp")
file(GLOB model_explorer_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/model/*.cpp")
list(REMOVE_ITEM model_explorer_sources ${model_kernels})
set(model_mutex_kernel "${PROJECT_SOURCE_DIR}/tests/model/kernel_mutex.cpp")
list(REMOVE_ITEM model_kernels "${model_mutex_kernel}")

add_library(model_explorer OBJECT ${model_explorer_sources})
weir_model_options(model_explorer)

weir_room_sources(model_core_sources base sync task time executor pool forkjoin)
# Where the commands of `weir run` wait for room; what needs a child or a file cannot be explored.
list(APPEND model_core_sources "${PROJECT_SOURCE_DIR}/src/process/excerpt.cpp"
     "${PROJECT_SOURCE_DIR}/src/process/roster.cpp")
weir_model_program(test_model EXPLORED ${model_core_sources} ${model_kernels})
# The mutex itself; everywhere else it is the model's, one step to lock and one to unlock.
weir_room_sources(model_sync_sources base sync)
weir_model_program(
  test_model_mutex
  EXPLORED ${model_sync_sources} "${model_mutex_kernel}"
  DEFINE WEIR_MODEL_REAL_MUTEX)
