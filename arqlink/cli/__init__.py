# SPDX-License-Identifier: Apache-2.0
"""The command `arqlink`. Each of its commands has a module of its own."""
