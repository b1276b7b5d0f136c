# SPDX-License-Identifier: Apache-2.0
"""What `make bench` measures, and what it has to show."""
