# Puts the parts of the page into one file: OUTPUT, from what lies here and CORE, the WebAssembly as text.
set(here ${CMAKE_CURRENT_LIST_DIR})
file(READ ${CORE} PAGE_CORE)
file(READ ${here}/page.css PAGE_STYLE)
file(READ ${here}/core.js core)
file(READ ${here}/page.js page)
set(PAGE_SCRIPT "${core}\n${page}")
configure_file(${here}/page.html ${OUTPUT} @ONLY)
