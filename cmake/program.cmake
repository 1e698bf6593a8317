# The program: src/process as a library of its own, src/cli as another so that its tests can link it,
# and main.cpp alone in the executable.
weir_room_sources(process_sources process)
if(process_sources)
  add_library(weir_process STATIC ${process_sources})
  target_link_libraries(weir_process PUBLIC weir weir_options)
endif()

weir_room_sources(cli_sources cli)
list(FILTER cli_sources EXCLUDE REGEX "/main\\.cpp$")
if(cli_sources)
  find_package(CLI11 REQUIRED)
  find_package(nlohmann_json REQUIRED)
  add_library(weir_commands STATIC ${cli_sources})
  target_link_libraries(weir_commands PUBLIC weir weir_options CLI11::CLI11
                                             nlohmann_json::nlohmann_json)
  foreach(part weir_process weir_trace)
    if(TARGET ${part})
      target_link_libraries(weir_commands PUBLIC ${part})
    endif()
  endforeach()
endif()

if(TARGET weir_commands AND EXISTS "${PROJECT_SOURCE_DIR}/src/cli/main.cpp")
  add_executable(weir_cli src/cli/main.cpp)
  target_link_libraries(weir_cli PRIVATE weir_commands)
  set_target_properties(weir_cli PROPERTIES OUTPUT_NAME weir RUNTIME_OUTPUT_DIRECTORY
                                                             "${PROJECT_BINARY_DIR}")
endif()
