# The embedded math library as text, compiled into cutaway_base. Included by core/CMakeLists.txt.
set(prelude_dir ${CMAKE_CURRENT_SOURCE_DIR}/base/prelude)
set(prelude_source ${CMAKE_CURRENT_BINARY_DIR}/prelude_text.cpp)
set(parts cw_types.h cw_exp.h cw_log.h cw_erf.h cw_trig.h cw_int.h cw_half.h cw_f8.h)
list(JOIN parts "," part_names)
list(TRANSFORM parts PREPEND ${prelude_dir}/)
list(APPEND parts ${prelude_dir}/cw_device.h)
add_custom_command(OUTPUT ${prelude_source}
  COMMAND ${CMAKE_COMMAND} -DOUT=${prelude_source} -DDIR=${prelude_dir} -DPARTS=${part_names} -DDEVICE_PARTS=cw_device.h
    -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${parts} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake VERBATIM)
target_sources(cutaway_base PRIVATE ${prelude_source})
