# SPDX-License-Identifier: Apache-2.0
"""slang with the arguments of its own command line; the package has it as a library only."""

import sys

from pyslang import driver  # pyright: ignore[reportMissingModuleSource]  # a library of C++ with types beside it

slang = driver.Driver()
slang.addStandardArgs()
if not (slang.parseCommandLine(" ".join(["slang", *sys.argv[1:]])) and slang.processOptions() and slang.parseAllSources()):
    sys.exit(2)
slang.reportCompilation(slang.createCompilation(), False)
sys.exit(not slang.reportDiagnostics(False))
