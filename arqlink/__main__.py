# SPDX-License-Identifier: Apache-2.0
from arqlink.cli.main import main

main()
