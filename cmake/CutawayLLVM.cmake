# LLVM and Clang 19, pinned: a plain search may find another version. Gives LLVM and clang-cpp as imported targets, and
# LLVM_INCLUDE_DIRS. On another system name the two folders with -DLLVM_DIR= and -DClang_DIR=.
set(LLVM_DIR /usr/lib/llvm-19/lib/cmake/llvm CACHE PATH "Folder of LLVMConfig.cmake, version 19")
set(Clang_DIR /usr/lib/llvm-19/lib/cmake/clang CACHE PATH "Folder of ClangConfig.cmake, version 19")
find_package(LLVM 19.1 CONFIG QUIET)
find_package(Clang CONFIG QUIET)
if(NOT LLVM_FOUND OR NOT TARGET clang-cpp)
  message(FATAL_ERROR "LLVM and Clang 19 are not in ${LLVM_DIR} and ${Clang_DIR}. Install llvm-19-dev and libclang-19-dev, "
    "name their folders with -DLLVM_DIR= and -DClang_DIR=, or build without the kernel compiler: -DCUTAWAY_CPU_JIT=OFF")
endif()
