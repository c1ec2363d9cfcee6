# The two sides of the kernel dialect as texts, compiled into cutaway_base. Included by core/CMakeLists.txt.
set(cuda_prelude_dir ${CMAKE_CURRENT_SOURCE_DIR}/base/prelude/cuda)
foreach(part device sim_abi sim)
  file(READ ${cuda_prelude_dir}/${part}.h cuda_${part})
  string(REPLACE "#pragma once\n" "" cuda_${part} "${cuda_${part}}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${cuda_prelude_dir}/${part}.h)
endforeach()
configure_file(${cuda_prelude_dir}/prelude.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/cuda_prelude.cpp @ONLY)
target_sources(cutaway_base PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/cuda_prelude.cpp)
