# SPDX-License-Identifier: Apache-2.0
"""`python -m arqlink.gateway.fuzz PACKETS SEED [RUN]`: hostile packets and conversations through the gateway (sim/gateway/fuzz)."""

import subprocess
import sys

from arqlink.gateway import builds

if __name__ == "__main__":
    sys.exit(subprocess.run([builds.fuzzer(), *sys.argv[1:]], check=False).returncode)
