# shellcheck shell=bash
# Debian packages that condens needs, and a function that installs those that
# are missing. Sourced by ./check, ./demo and reproduce/common/fetch_data.sh, so
# that no list is typed twice.

# shellcheck disable=SC2034  # the lists are for the scripts that source this file
build_packages=(g++ cmake ninja-build ccache libeigen3-dev nlohmann-json3-dev libcli11-dev libboost-math-dev
                libboost-random-dev liblbfgspp-dev libnanoflann-dev zlib1g-dev)
demo_packages=(clang)
check_packages=(libgtest-dev clang-format clang libclang-rt-dev pkg-config curl fish groff-base mandoc zsh
                openjdk-17-jre-headless  # Java is for the tests with Spark
                emscripten chromium nodejs)  # the page for a browser, and its tests
r_packages=(r-base-dev r-cran-bh r-cran-cpp11 r-cran-distributional r-cran-generics r-cran-ggplot2 r-cran-hardhat
            r-cran-jsonlite r-cran-kernlab r-cran-knitr r-cran-ks r-cran-mass r-cran-mclust r-cran-quantreg r-cran-rmarkdown
            r-cran-roxygen2 r-cran-survival r-cran-testthat r-cran-tibble r-cran-vctrs)
r_data_packages=(r-base-core r-cran-mass r-cran-quantreg)

is_installed() {
  [[ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}

# install_packages NAME...: asks the network only when something is missing.
install_packages() {
  local package log attempt missing=() as_root=()
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  if ! command -v apt-get >/dev/null; then
    echo "These packages are missing, and there is no apt-get to install them: ${missing[*]}" >&2
    return 1
  fi
  if ((EUID != 0)); then
    command -v sudo >/dev/null || { echo "Installing ${missing[*]} needs root or sudo." >&2; return 1; }
    as_root=(sudo)
  fi
  echo "Installing ${missing[*]}"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=3
             -o DPkg::Lock::Timeout=300)
  for attempt in 1 2 3; do
    # Captured, and shown only on failure: a hundred lines of unpacking say nothing.
    if log="$({ "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "${missing[@]}"; } \
               2>&1 </dev/null)"; then
      return 0
    fi
    echo "Installation attempt $attempt of 3 failed:" >&2
    tail -n 20 <<<"$log" >&2
    sleep $((attempt * 5))
  done
  return 1
}
