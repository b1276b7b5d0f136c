# SPDX-License-Identifier: Apache-2.0
"""The dashboard: a link in the browser, be it live or a run of the simulator."""
