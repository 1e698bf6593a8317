# A room is a folder under src/. A file belongs to its room by lying in it; nothing is listed.

# weir_room_sources(<out> <room>...): the sources of these rooms, without their tests.
function(weir_room_sources out)
  set(found "")
  foreach(room IN LISTS ARGN)
    file(GLOB files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${room}/*.cpp")
    list(FILTER files EXCLUDE REGEX "_test\\.cpp$")
    list(APPEND found ${files})
  endforeach()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

# weir_room_tests(<out> <room>): the unit tests of this room.
function(weir_room_tests out room)
  file(GLOB files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${room}/*_test.cpp")
  set(${out} "${files}" PARENT_SCOPE)
endfunction()
