# weir::weir, the core: the standard library and threads alone.
weir_room_sources(core_sources base sync task time executor pool forkjoin)
file(GLOB_RECURSE public_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/weir/*.hpp")

add_library(weir STATIC ${core_sources})
add_library(weir::weir ALIAS weir)
target_sources(weir PUBLIC FILE_SET HEADERS BASE_DIRS include FILES ${public_headers})
target_compile_features(weir PUBLIC cxx_std_20)
target_link_libraries(weir PUBLIC Threads::Threads PRIVATE $<BUILD_INTERFACE:weir_options>)
set_target_properties(weir PROPERTIES LINKER_LANGUAGE CXX CXX_EXTENSIONS OFF
                                      POSITION_INDEPENDENT_CODE ON)

# weir::trace writes what an observer saw and what a pool shows; JSON stays out of its interface.
weir_room_sources(observe_sources observe)
set(prometheus_source "${PROJECT_SOURCE_DIR}/src/observe/prometheus.cpp")
list(REMOVE_ITEM observe_sources "${prometheus_source}")
if(WEIR_BUILD_TRACE AND observe_sources)
  find_package(nlohmann_json REQUIRED)
  add_library(weir_trace STATIC ${observe_sources})
  add_library(weir::trace ALIAS weir_trace)
  target_link_libraries(
    weir_trace
    PUBLIC weir
    PRIVATE $<BUILD_INTERFACE:weir_options> $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
  set_target_properties(weir_trace PROPERTIES EXPORT_NAME trace CXX_EXTENSIONS OFF
                                              POSITION_INDEPENDENT_CODE ON)
endif()

# weir::prometheus shows pools to Prometheus, where prometheus-cpp is found: its metric model is
# part of the interface.
if(WEIR_BUILD_PROMETHEUS)
  find_package(prometheus-cpp CONFIG QUIET)
  if(prometheus-cpp_FOUND)
    add_library(weir_prometheus STATIC "${prometheus_source}")
    add_library(weir::prometheus ALIAS weir_prometheus)
    target_link_libraries(
      weir_prometheus
      PUBLIC weir prometheus-cpp::core
      PRIVATE $<BUILD_INTERFACE:weir_options>)
    set_target_properties(weir_prometheus PROPERTIES EXPORT_NAME prometheus CXX_EXTENSIONS OFF
                                                     POSITION_INDEPENDENT_CODE ON)
  endif()
endif()

# weir::cron knows time zones, where the date library is found; that one stays out of its interface.
weir_room_sources(cron_sources cron)
if(WEIR_BUILD_CRON)
  find_package(date CONFIG QUIET)
  if(date_FOUND)
    add_library(weir_cron STATIC ${cron_sources})
    add_library(weir::cron ALIAS weir_cron)
    target_link_libraries(
      weir_cron
      PUBLIC weir
      PRIVATE $<BUILD_INTERFACE:weir_options> date::date-tz)
    set_target_properties(weir_cron PROPERTIES EXPORT_NAME cron CXX_EXTENSIONS OFF
                                               POSITION_INDEPENDENT_CODE ON)
  endif()
endif()
