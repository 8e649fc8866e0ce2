"""The consumer of the tests, built against the package."""

import os

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout
from conan.tools.files import copy


class TestCondens(ConanFile):
    """find_package(condens), condens::condens and condens::plot."""

    settings = "os", "compiler", "build_type", "arch"
    generators = "CMakeToolchain", "CMakeDeps"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def build(self):
        consumer = os.path.join(self.recipe_folder, "..", "..", "..", "tests", "consumer")
        copy(self, "*", consumer, self.build_folder)
        cmake = CMake(self)
        cmake.configure(build_script_folder=self.build_folder)
        cmake.build()

    def test(self):
        if can_run(self):
            for program in ("consumer", "picture"):
                self.run(os.path.join(self.cpp.build.bindir, program), env="conanrun")
