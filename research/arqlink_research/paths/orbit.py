# SPDX-License-Identifier: Apache-2.0
"""Where satellites are: a round Earth that turns, circular orbits, and light in straight lines. Lengths are in kilometres, times in seconds,
angles at the interface in degrees."""

import math
from dataclasses import dataclass

import numpy as np

from arqlink.errors import UserError

EARTH_RADIUS = 6378.137
EARTH_MU = 398600.4418
"""Gravitational constant times the mass of the Earth, km³/s²."""
SIDEREAL_DAY = 86164.0905
LIGHT = 299792.458
GEO_RADIUS = (EARTH_MU * (SIDEREAL_DAY / (2 * math.pi)) ** 2) ** (1 / 3)
"""From the centre of the Earth: 42,164 km."""


def seconds(distance):
    """Time of light."""
    return distance / LIGHT


@dataclass(frozen=True)
class Station:
    """A place on the ground; north and east are positive."""

    latitude: float
    longitude: float

    def __post_init__(self):
        if not (-90 <= self.latitude <= 90 and -180 <= self.longitude <= 180):
            raise UserError(f"A station is at {self.latitude:g}° north, {self.longitude:g}° east; these must be -90 to 90, and -180 to 180.")

    def position(self, time=0.0):
        """x, y, z, on the last axis: z to the North Pole, x to where longitude 0 is at time 0. Of one time, or an array of them."""
        latitude, time = math.radians(self.latitude), np.asarray(time, float)
        longitude = math.radians(self.longitude) + 2 * math.pi * time / SIDEREAL_DAY
        over = EARTH_RADIUS * math.cos(latitude)
        return np.stack([over * np.cos(longitude), over * np.sin(longitude), np.full_like(time, EARTH_RADIUS * math.sin(latitude))], axis=-1)


NEW_YORK = Station(40.71, -74.01)
SAN_FRANCISCO = Station(37.77, -122.42)
LOS_ANGELES = Station(34.05, -118.24)
ROME = Station(41.90, 12.50)


def elevation(station, satellite):
    """Degrees above the horizon of `station`; both are positions, or arrays of them."""
    way = satellite - station
    up = np.sum(way * station, axis=-1) / (np.linalg.norm(station, axis=-1) * np.linalg.norm(way, axis=-1))
    return np.degrees(np.arcsin(np.clip(up, -1, 1)))


def slant_range(radius, elevation):
    """Distance of a satellite `radius` from the centre of the Earth that is seen at an elevation."""
    sine = EARTH_RADIUS * math.sin(math.radians(elevation))
    return math.sqrt(radius**2 - EARTH_RADIUS**2 + sine**2) - sine


def coverage_angle(radius, elevation):
    """Angle at the centre of the Earth between a satellite and a station that sees it at an elevation: the radius of what it covers."""
    return math.degrees(math.acos(EARTH_RADIUS / radius * math.cos(math.radians(elevation)))) - elevation


def geostationary(longitude):
    """Position of a geostationary satellite, as that of a station at time 0."""
    angle = math.radians(longitude)
    return GEO_RADIUS * np.array([math.cos(angle), math.sin(angle), 0.0])


@dataclass(frozen=True)
class GeoPath:
    """From one station over one or more geostationary satellites, at these longitudes and in this order, to another one."""

    sender: Station
    satellites: tuple[float, ...]
    receiver: Station

    def __post_init__(self):
        if not self.satellites:
            raise UserError("A path over geostationary satellites has none.")
        for name, station, longitude in (("sender", self.sender, self.satellites[0]), ("receiver", self.receiver, self.satellites[-1])):
            above = float(elevation(station.position(), geostationary(longitude)))
            if above <= 0:
                raise UserError(f"The {name} does not see a satellite at {longitude:g}°: it is {-above:.1f}° below the horizon.")
        for one, other in zip(self.satellites, self.satellites[1:]):
            if GEO_RADIUS * abs(math.cos(math.radians(one - other) / 2)) <= EARTH_RADIUS:
                raise UserError(f"The Earth is between satellites at {one:g}° and {other:g}°.")

    @property
    def legs(self):
        """Lengths: uplink, links between satellites, downlink."""
        places = [self.sender.position(), *map(geostationary, self.satellites), self.receiver.position()]
        return [float(np.linalg.norm(b - a)) for a, b in zip(places, places[1:])]

    @property
    def delay(self):
        """One way."""
        return seconds(math.fsum(self.legs))


@dataclass(frozen=True)
class Constellation:
    """A Walker star: circular orbits in planes whose ascending nodes share half of the equator. The defaults are Teledesic's (F. Peng, A.
    Salamanca Cardona, K. Shafiee, V. C. M. Leung, "TCP Performance Evaluation over GEO and LEO Satellite Links between Performance Enhancement
    Proxies", Table II).

    altitude          km
    planes, per_plane satellites
    inclination
    separation        between the nodes of neighbouring planes; the seam is what is left of 180°
    stagger           by which satellites of every second plane are ahead: half of their distance, as in ns-2's script of Teledesic
                      (tcl/ex/sat-teledesic-nodes.tcl). The table says no phasing between planes
    mask              elevation from which on a satellite is used
    isl_latitude      links between planes exist between satellites below this latitude
    cross_seam        links exist across the seam, too
    epoch             seconds by which all satellites are ahead at time 0
    """

    altitude: float = 1375.0
    planes: int = 12
    per_plane: int = 24
    inclination: float = 84.7
    separation: float = 15.0
    stagger: float = 7.5
    mask: float = 40.0
    isl_latitude: float = 60.0
    cross_seam: bool = True
    epoch: float = 0.0

    def __post_init__(self):
        if not 0 < self.altitude < math.inf:
            raise UserError(f"The altitude is {self.altitude:g} km; it must be above 0.")
        if self.planes < 1 or self.per_plane < 1:
            raise UserError(f"There are {self.planes} planes with {self.per_plane} satellites; there must be one or more of both.")
        if not 0 <= self.mask < 90:
            raise UserError(f"The elevation mask is {self.mask:g}°; it must be 0 or more, and below 90.")
        if not 0 <= (self.planes - 1) * self.separation <= 180:
            raise UserError(f"{self.planes} planes that are {self.separation:g}° apart need more than 180°.")

    @property
    def radius(self):
        return EARTH_RADIUS + self.altitude

    @property
    def period(self):
        """Of an orbit: Kepler's third law."""
        return 2 * math.pi * math.sqrt(self.radius**3 / EARTH_MU)

    @property
    def seam(self):
        """Degrees between the last plane and the first one, whose satellites move against each other."""
        return 180 - (self.planes - 1) * self.separation

    @property
    def satellites(self):
        """How many; satellite i of plane p has the number p per_plane + i."""
        return self.planes * self.per_plane

    def positions(self, time, satellite=None):
        """x, y, z on the last axis, of satellites by their number at a time; arrays of both go together as numpy has it. Without `satellite` of
        all, on the axis before it."""
        if satellite is None:
            time, satellite = np.asarray(time, float)[..., None], np.arange(self.satellites)
        plane, place = np.divmod(satellite, self.per_plane)
        node, tilt = np.radians(self.separation * plane), math.radians(self.inclination)
        along = np.radians(360 / self.per_plane * place + self.stagger * (plane % 2)) + 2 * np.pi * (np.asarray(time, float) + self.epoch) / self.period
        x, y, z = np.cos(along), np.sin(along) * math.cos(tilt), np.sin(along) * math.sin(tilt)
        return self.radius * np.stack([x * np.cos(node) - y * np.sin(node), x * np.sin(node) + y * np.cos(node), z], axis=-1)
