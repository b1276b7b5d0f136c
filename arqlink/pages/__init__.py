# SPDX-License-Identifier: Apache-2.0
"""Pages that a browser shows from a file, without a server: each is one HTML file with everything inside."""
