# NVIDIA's own rule of occupancy, where CUDA's toolkit is; no GPU is needed.

find_program(TSL_NVCC nvcc HINTS /usr/local/cuda/bin)
cmake_path(GET TSL_NVCC PARENT_PATH nvcc_dir)
find_path(TSL_CUDA_OCCUPANCY_DIR cuda_occupancy.h
    HINTS ${CUDAToolkit_INCLUDE_DIRS} "${nvcc_dir}/../include" /usr/local/cuda/include)
mark_as_advanced(TSL_NVCC TSL_CUDA_OCCUPANCY_DIR)
if(TSL_CUDA_OCCUPANCY_DIR AND TARGET test_lab_occupancy_header)
    target_include_directories(test_lab_occupancy_header SYSTEM PRIVATE "${TSL_CUDA_OCCUPANCY_DIR}")
    target_compile_definitions(test_lab_occupancy_header PRIVATE TSL_HAVE_CUDA_OCCUPANCY)
endif()
