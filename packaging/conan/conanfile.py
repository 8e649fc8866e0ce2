"""Conan recipe of the C++ library and the command.

conan create packaging/conan -s compiler.cppstd=20 --build=missing                   # dependencies from Conan's center
conan create packaging/conan -s compiler.cppstd=20 -o "condens/*:system_headers=True"  # those that the system has

The standard is said because Conan's profile of GCC 12 has C++17.
"""

import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load


class Condens(ConanFile):
    """The library condens::condens, that of pictures, condens::plot, and the command."""

    name = "condens"
    license = "BSD-3-Clause"
    description = "Conditional density estimation: given x, how is y distributed?"
    topics = ("statistics", "machine-learning", "density-estimation")
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "command": [True, False], "system_headers": [True, False]}
    default_options = {"shared": True, "command": True, "system_headers": False}

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        text = load(self, os.path.join(self._root, "CMakeLists.txt"))
        self.version = re.search(r"project\(condens VERSION ([0-9.]+)", text).group(1)

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*", "plot/*", "cli/*"):
            copy(self, pattern, self._root, self.export_sources_folder)

    def requirements(self):
        if self.options.system_headers:
            return
        self.requires("eigen/3.4.0", transitive_headers=True)
        self.requires("zlib/[>=1.2.11 <2]")
        for header_library in ("boost/1.86.0", "nlohmann_json/3.11.3", "lbfgspp/0.3.0", "nanoflann/1.6.1"):
            self.requires(header_library, visible=False, headers=True, libs=False)
        if self.options.command:
            self.requires("cli11/2.4.2", visible=False, headers=True, libs=False)

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        self.folders.root = os.path.join("..", "..")  # in a clone; in Conan's cache the sources are the root
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False
        toolchain.cache_variables.update(
            CONDENS_LEVEL="portable",
            CONDENS_SHARED=bool(self.options.shared),
            CONDENS_CLI=bool(self.options.command),
            CONDENS_TESTS=False,
        )
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        # The package's own files for CMake, which know how Eigen must be aligned.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "condens")]
        self.cpp_info.set_property("pkg_config_name", "none")
