# SPDX-License-Identifier: Apache-2.0
from arqlink.cli import main

main()
