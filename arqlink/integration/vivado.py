# SPDX-License-Identifier: Apache-2.0
"""A script for AMD's Vivado that packages a module as IP: where component.xml is not wanted as it is, or other files are to be in the IP too."""

SCRIPT = """\
# Packages {name} as IP for Vivado's catalogue, from the attributes of its ports:
#   vivado -mode batch -source package_ip.tcl -tclargs FOLDER PART
if {{$argc != 2}} {{ error "usage: package_ip.tcl FOLDER PART, the folder of the new IP and a device" }}
lassign $argv folder part
set here [file dirname [file normalize [info script]]]
create_project -in_memory -part $part {name}
foreach source {{{sources}}} {{ add_files [file join $here $source] }}
set_property top {name} [current_fileset]
ipx::package_project -root_dir $folder -vendor arqlink -library link -taxonomy /Communication -import_files -force
set core [ipx::current_core]
set_property name {name} $core
set_property display_name "arqlink {configuration}" $core
set_property description "Hybrid FEC/ARQ link layer, configuration {configuration}" $core
set_property version {version} $core
ipx::check_integrity $core
ipx::save_core $core
"""


def text(module):
    version = ".".join(module.version.split(".")[:2])
    sources = " ".join(source.name for source in module.sources)
    return SCRIPT.format(name=module.name, configuration=module.configuration, version=version, sources=sources)
