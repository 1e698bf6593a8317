# The program: src/process as a library of its own, src/cli as another so that its tests can link it,
# and main.cpp alone in the executable.
find_package(nlohmann_json REQUIRED)
# Debian's package of RE2 has no CMake files.
find_path(WEIR_RE2_INCLUDE re2/re2.h REQUIRED)
find_library(WEIR_RE2_LIBRARY re2 REQUIRED)

if(NOT TARGET weir_cron)
  message(FATAL_ERROR "The program needs weir::cron, which needs the date library: install "
                      "libhowardhinnant-date-dev, or configure with -DWEIR_BUILD_PROGRAM=OFF")
endif()

weir_room_sources(process_sources process)
if(process_sources)
  add_library(weir_process STATIC ${process_sources})
  target_link_libraries(weir_process PUBLIC weir weir_cron weir_options
                                             nlohmann_json::nlohmann_json "${WEIR_RE2_LIBRARY}")
  target_include_directories(weir_process SYSTEM PRIVATE "${WEIR_RE2_INCLUDE}")
  if(TARGET weir_trace)
    target_link_libraries(weir_process PUBLIC weir_trace)
  endif()
endif()

weir_room_sources(cli_sources cli)
list(FILTER cli_sources EXCLUDE REGEX "/main\\.cpp$")
if(cli_sources)
  find_package(CLI11 REQUIRED)
  add_library(weir_commands STATIC ${cli_sources})
  target_link_libraries(weir_commands PUBLIC weir_process CLI11::CLI11)
endif()

if(TARGET weir_commands AND EXISTS "${PROJECT_SOURCE_DIR}/src/cli/main.cpp")
  add_executable(weir_cli src/cli/main.cpp)
  target_link_libraries(weir_cli PRIVATE weir_commands)
  set_target_properties(weir_cli PROPERTIES OUTPUT_NAME weir RUNTIME_OUTPUT_DIRECTORY
                                                             "${PROJECT_BINARY_DIR}")

  # The man page and the completion are written by the program itself, from its table of commands.
  if(NOT CMAKE_CROSSCOMPILING)
    foreach(page man bash)
      add_custom_command(
        OUTPUT weir.${page}
        COMMAND weir_cli help ${page} > weir.${page}
        DEPENDS weir_cli
        VERBATIM)
    endforeach()
    add_custom_target(weir_pages ALL DEPENDS weir.man weir.bash)
  endif()
endif()
