# Tests of what is built for use: the program, its libraries, the Python package, scripts. A sanitizer would get in their
# way. The target release_tests is what they need.
add_custom_target(release_tests DEPENDS beatscan beatscan_embedded ${preloaded})

# Memory that cannot be had, in a program that has its own.
beatscan_add_test_program(beatscan_allocation_tests allocations/failing.cpp allocations/test_allocations.cpp)
beatscan_run_in_shards(beatscan_allocation_tests 4 release)
set_target_properties(beatscan_allocation_tests PROPERTIES ENABLE_EXPORTS ON)
target_link_options(beatscan_allocation_tests PRIVATE LINKER:--wrap=malloc,--wrap=calloc,--wrap=realloc)
add_dependencies(release_tests beatscan_allocation_tests)

set(parquet_library "")
if(TARGET beatscan_parquet)
  set(parquet_library $<TARGET_FILE:beatscan_parquet>)
endif()
add_test(NAME hardening COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/check_hardening
  $<TARGET_FILE:beatscan> $<TARGET_FILE:beatscan_kernels> $<TARGET_FILE:beatscan_vae>
  $<TARGET_FILE:beatscan_embedded> ${parquet_library})

add_test(NAME install COMMAND sh -c "rm -rf installed && \"$1\" --install \"$0\" --prefix installed && cd installed &&
  test -s share/man/man1/beatscan.1 && test -s share/bash-completion/completions/beatscan &&
  test -s share/zsh/site-functions/_beatscan && test -s share/fish/vendor_completions.d/beatscan.fish &&
  test -s share/doc/beatscan/LICENSE && test -s share/doc/beatscan/docs/notices.md &&
  ! grep -v ^/ \"$0/install_manifest.txt\" && bin/beatscan info" ${PROJECT_BINARY_DIR} ${CMAKE_COMMAND})

set_tests_properties(hardening install PROPERTIES LABELS release)

# Tests in Python, by the virtual environment that scripts/test_tools makes, or by the interpreter BEATSCAN_PYTHON=.
set(python ${PROJECT_SOURCE_DIR}/.deps/python/bin/python)
function(beatscan_add_script_test name script)  # [ARGUMENT...]
  add_test(NAME ${name} COMMAND sh -c "exec \"\${BEATSCAN_PYTHON:-$0}\" \"$@\"" ${python} ${script} ${ARGN})
  set_tests_properties(${name} PROPERTIES
    LABELS release SKIP_RETURN_CODE 77 TIMEOUT 300 ENVIRONMENT "BEATSCAN_BUILD=${PROJECT_BINARY_DIR}")
endfunction()
foreach(script
    browser/test_cohort_list browser/test_corrections browser/test_findings browser/test_short_pages browser/test_unusual_pages
    cluster/test_cluster golden/test_golden
    python/test_analysis python/test_analysis_tables python/test_annotations python/test_command python/test_dask
    python/test_delineate python/test_embedded python/test_figures python/test_notebook python/test_ops
    python/test_parquet scenarios/test_scenarios
    scripts/test_check_docs scripts/test_check_includes scripts/test_check_wheel scripts/test_compare_ec57
    scripts/test_evaluation
    scripts/test_suite scripts/test_test_summary scripts/test_train_waves
    scripts/test_train_classifier scripts/test_train_quality scripts/test_train_rhythm)
  string(REGEX REPLACE ".*/test_" "" name ${script})
  beatscan_add_script_test(${name} ${CMAKE_CURRENT_SOURCE_DIR}/${script}.py)
endforeach()

# Two pages, each in a process of its own, so that neither takes more than ten seconds.
foreach(name long_pages pages_of_leads)
  foreach(part 0 1)
    beatscan_add_script_test(${name}_${part} ${CMAKE_CURRENT_SOURCE_DIR}/browser/test_${name}.py ${part}/2)
  endforeach()
endforeach()

# The results of 23 recordings. The last bits of numbers, and so the digests, are those of GCC on x86-64.
set(compared "")
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(compared --decisions)
endif()
beatscan_add_script_test(golden_results ${PROJECT_SOURCE_DIR}/scripts/golden compare ${compared})
