# shellcheck shell=bash
# Virtual environments of the Python package, below build/python. Sourced by ./check and ./demo.

# shellcheck disable=SC2034  # for the scripts that source this file
python_packages=(python3-dev python3-venv)

# The name under which CMake finds the compiler, or what the compiler cache knows of a build counts for nothing.
export CXX="${CXX:-c++}"

# python_environment NAME REQUIREMENT...: makes build/python/NAME, once for each list of requirements.
python_environment() {
  local place="build/python/$1" log
  shift
  local wanted="$(python3 --version) $*"
  [[ "$(cat "$place/requirements" 2>/dev/null)" != "$wanted" ]] || return 0
  rm -rf "$place"
  python3 -m venv "$place"
  log="$({ "$place/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile --retries 5 "$@"; } 2>&1)" ||
    { echo "$log" >&2; return 1; }
  echo "$wanted" >"$place/requirements"
}

# install_wheel NAME: puts the newest wheel of build/python/wheels into an environment, without its dependencies.
install_wheel() {
  local wheel
  wheel="$(find build/python/wheels -name 'condens-*.whl' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d' ' -f2-)"
  "build/python/$1/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall "$wheel"
}

# demo_environment BUILD [SETTING...]: build/python/demo, with the package built for this machine only, for ./demo and
# benchmarks. It is linked to the library of the folder BUILD, which must be built; settings are those of scikit-build.
demo_python() {
  python_environment demo "scikit-build-core>=0.11" "nanobind>=2.4,<4" numpy scikit-learn matplotlib pandas
}
demo_environment() {
  local build="$1" setting settings=()
  shift
  for setting in "build-dir=$build/bindings" cmake.define.CONDENS_PYTHON_LEVELS=machine \
    cmake.define.CONDENS_PYTHON_LINKED=ON "cmake.define.condens_ROOT=$PWD/$build/installed" "$@"; do
    settings+=(-C "$setting")
  done
  demo_python
  cmake --install "$build" --prefix "$build/installed" >/dev/null
  build/python/demo/bin/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps \
    "${settings[@]}" .
}

# What the tests, the examples and the documentation need, in the newest versions that there are.
newest_packages=(numpy scikit-learn matplotlib pandas polars pyarrow xarray tqdm joblib skpro scoringrules qp-prob onnx
                 onnxruntime
                 "dask[array,dataframe]" distributed pyspark
                 pytest pytest-xdist hypothesis nbclient ipykernel mypy ruff sphinx sphinx-design sphinx-gallery
                 myst-nb pydata-sphinx-theme)

# The lowest versions that pyproject.toml allows, without the packages that condens exports to.
lowest_packages=(numpy==1.25.0 scikit-learn==1.6.0 scipy==1.11.1 matplotlib==3.7.1 pandas==2.1.0 joblib==1.3.0
                 "pyparsing<3.1" "pytest<9" pytest-xdist hypothesis)

# The packages that condens works with (docs/integrations.md), in the versions that its tests are written against; mlflow
# without its server.
integration_packages=(skpro==2.16.0 sktime==1.2.0 pz-rail-base==2.0.11 qp-prob==1.1.4 econml==0.17.0 doubleml==0.11.4
                      mlflow-skinny==3.17.2 polars==2.1.0 pyarrow==26.0.1 xarray==2026.9.0 numpy==2.4.6 scikit-learn==1.9.1
                      pandas==3.0.6 pytest pytest-xdist)
