# The deterministic explorer and what it explores. weir's own sources are compiled a second time,
# bound to the explorer by the seam, and instrumented as for ThreadSanitizer, whose runtime is not
# linked: the explorer is told of every access instead. That leaves no room for another sanitizer.
if(NOT WEIR_SANITIZE STREQUAL "")
  return()
endif()

weir_room_sources(model_core_sources base sync task time pool)
list(FILTER model_core_sources EXCLUDE REGEX "/(base/assert|sync/futex|sync/thread)\\.cpp$")
set(model_folder "${PROJECT_SOURCE_DIR}/tests/model")
file(GLOB model_explorer_sources CONFIGURE_DEPENDS "${model_folder}/*.cpp")
set(model_kernels ${model_explorer_sources})
list(FILTER model_kernels INCLUDE REGEX "/kernel_[a-z_]+\\.cpp$|_test\\.cpp$")
list(REMOVE_ITEM model_explorer_sources ${model_kernels})
set(model_mutex_kernels ${model_kernels})
list(FILTER model_mutex_kernels INCLUDE REGEX "/kernel_mutex\\.cpp$")
list(REMOVE_ITEM model_kernels ${model_mutex_kernels})

function(weir_model_options target)
  target_include_directories(
    ${target} PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(${target} PRIVATE weir_options GTest::gtest Threads::Threads)
  target_compile_definitions(${target} PRIVATE "WEIR_SYNC_SEAM=\"model/seam.hpp\"" ${ARGN})
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_compile_options(${target} PRIVATE -O2 -fno-pie)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
endfunction()

# What is instrumented lies in a library of its own, so that the explorer is not.
function(weir_model_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "EXPLORED;DEFINE")
  add_library(${name}_explored OBJECT ${arg_EXPLORED})
  weir_model_options(${name}_explored ${arg_DEFINE})
  target_compile_options(${name}_explored PRIVATE -fsanitize=thread)
  add_executable(${name} ${model_explorer_sources} $<TARGET_OBJECTS:${name}_explored>)
  weir_model_options(${name} ${arg_DEFINE})
  target_link_options(${name} PRIVATE -no-pie)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  add_test(NAME ${name} COMMAND ${name})
  set(test_manifest "${test_manifest}plain ${name}\n" PARENT_SCOPE)
endfunction()

weir_model_program(test_model EXPLORED ${model_core_sources} ${model_kernels})
if(model_mutex_kernels)
  weir_model_program(
    test_model_mutex
    EXPLORED ${model_core_sources} ${model_mutex_kernels}
    DEFINE WEIR_MODEL_REAL_MUTEX)
endif()
