# The sanitizers' builds compile several sources of a folder as one (CMAKE_UNITY_BUILD in their presets), which takes half
# the time. Sources that have names of their own in common with a neighbour stay alone; so must a new one with which such
# a build says "redefinition".
function(warpmeter_keep_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
