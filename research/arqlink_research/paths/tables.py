# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/channels.md."""

import numpy as np

from arqlink.report.tables import markdown
from arqlink_research.paths import bit_errors, orbit
from arqlink_research.paths.leo_path import CHOICES, LeoPath
from arqlink_research.paths.orbit import LOS_ANGELES, NEW_YORK, ROME, SAN_FRANCISCO, Constellation, GeoPath
from arqlink_research.paths.street import Bounded, Houses, Street

STREETS = 100
"""Of 600 s each, with seeds from 1 on."""
CONFIDENCE = 0.99
ELEVATIONS = (20, 30, 38, 45, 60)
AZIMUTHS = (90, 60, 30)
GEO_PATHS = {
    "New York - -96° - San Francisco": GeoPath(NEW_YORK, (-96,), SAN_FRANCISCO),
    "Rome - 0° - -95° - Los Angeles": GeoPath(ROME, (0, -95), LOS_ANGELES),
}
LEO_PATHS = {"New York - San Francisco": (NEW_YORK, SAN_FRANCISCO), "Rome - Los Angeles": (ROME, LOS_ANGELES)}
LEO_STEP = 10.0
RATES = (1e-6, 1e-7, 1e-8)
UNIT_BYTES, PACKET_BYTES = 25, 1500


def houses():
    """The distributions."""
    known = Houses()
    laws: dict[str, Bounded] = {"width of a house": known.width, "height": known.height, "gap between houses": known.gap}
    return markdown(["m", "mean", "deviation", "least", "most"], [[name, law.mean, law.sigma, law.least, law.most] for name, law in laws.items()])


def mean_state(states, duration):
    """Mean length of those that neither end of the street cuts; None where there is none."""
    lengths = [end - begin for begin, end in states if begin > 0 and end < duration]
    return float(np.mean(lengths)) if lengths else None


def interval(values):
    """Mean, and half of its confidence interval by Student's t, as a cell."""
    from scipy import stats

    values = [value for value in values if value is not None]
    if len(values) < 2:
        return "-"
    half = stats.t.ppf((1 + CONFIDENCE) / 2, len(values) - 1) * np.std(values, ddof=1) / np.sqrt(len(values))
    return f"{np.mean(values):.3g} ± {half:.2g}"


def shadowing():
    """Share of the time and mean lengths of the two states, of pieces that the street's ends do not cut."""
    rows = []
    for elevation in ELEVATIONS:
        for azimuth in AZIMUTHS:
            streets = [Street(elevation, azimuth, seed=seed) for seed in range(1, STREETS + 1)]
            hidden = [mean_state(street.shadowed, street.duration) for street in streets]
            in_sight = [mean_state(street.in_sight, street.duration) for street in streets]
            rows.append([elevation, azimuth, *map(interval, ([street.share for street in streets], hidden, in_sight))])
    return markdown(["elevation (°)", "azimuth (°)", "share hidden", "hidden (s)", "in sight (s)"], rows)


def geostationary():
    """Elevations, legs and delay of the paths."""
    rows = []
    for name, path in GEO_PATHS.items():
        ends = ((path.sender, path.satellites[0]), (path.receiver, path.satellites[-1]))
        above = [float(orbit.elevation(station.position(), orbit.geostationary(longitude))) for station, longitude in ends]
        legs = [1e3 * orbit.seconds(leg) for leg in path.legs]
        rows.append([name, *(f"{angle:.1f}" for angle in above), " + ".join(f"{leg:.1f}" for leg in legs), f"{1e3 * path.delay:.1f}"])
    return markdown(["path", "elevation, sender (°)", "receiver (°)", "legs (ms)", "one way (ms)"], rows)


def teledesic():
    """Closed forms of the constellation."""
    known = Constellation()
    angle, farthest = orbit.coverage_angle(known.radius, known.mask), orbit.slant_range(known.radius, known.mask)
    values = {
        "period (s)": f"{known.period:.0f}",
        "radius of coverage (° at the centre of the Earth)": f"{angle:.2f}",
        "radius of coverage (km)": f"{orbit.EARTH_RADIUS * np.radians(angle):.0f}",
        "slant range at the mask (km)": f"{farthest:.0f}",
        "up or down, zenith to mask (ms)": f"{1e3 * orbit.seconds(known.altitude):.2f} to {1e3 * orbit.seconds(farthest):.2f}",
        "longest pass over a resting Earth (s)": f"{angle / 180 * known.period:.0f}",
    }
    return markdown(["of Teledesic", ""], values.items())


def low_orbits():
    """Delays and hand-overs in one period, from time 0 on."""
    rows = []
    for name, ends in LEO_PATHS.items():
        for choice in CHOICES:
            path = LeoPath(*ends, duration=Constellation().period, choice=choice, step=LEO_STEP)
            delays = 1e3 * np.array(path.table.delays)
            dark = sum(end - begin for begin, end in path.table.outages)
            rows.append([name, choice, *(f"{value:.1f}" for value in (delays.min(), np.median(delays), delays.max())), len(path.handovers), f"{dark:.1f}"])
    return markdown(["path", "choice", "least (ms)", "median (ms)", "most (ms)", "hand-overs", "without a satellite (s)"], rows)


def losses():
    """What bit errors erase, on one line, and over up- and downlink."""
    cells = [
        [
            f"{rate:g}",
            hops,
            *(
                f"{value:.3g}"
                for value in (bit_errors.data_unit(rate, UNIT_BYTES, hops), bit_errors.control_unit(rate, hops), bit_errors.packet(rate, PACKET_BYTES, hops))
            ),
        ]
        for rate in RATES
        for hops in (1, 2)
    ]
    return markdown(["bit error rate", "hops", f"data unit of {UNIT_BYTES} bytes", "control unit", f"packet of {PACKET_BYTES} bytes without the link"], cells)


TABLES = (houses, shadowing, geostationary, teledesic, low_orbits, losses)
