"""Lines, stops, drivers and trips of a town tramway."""

from data.builtin.make.model import Bridge, Domain, Table, cat, day, flag, ident, name, num, ref, year
from data.builtin.make.values import combined, days, decimal, listed, maybe, people, pick, whole

DEPOT = Table(
    "depot",
    "depot",
    "depots",
    6,
    (
        ident("depot_id", "depot id"),
        name("depot_name", "name", listed("Northgate", "Harbour", "Millfield", "Castle", "Parkside", "Eastbrook")),
        num(
            "tracks",
            "number of tracks",
            listed(14, 9, 6, 11, 4, 8),
            "with more than {} tracks",
            "with fewer than {} tracks",
            many="numbers of tracks",
            most="largest",
            least="smallest",
        ),
        year(
            "opened",
            "opening year",
            listed(1921, 1958, 1974, 1903, 2009, 1986),
            "opened in {}",
            "opened after {}",
            "opened before {}",
            most="newest",
            least="oldest",
        ),
    ),
)
LINE = Table(
    "line",
    "line",
    "lines",
    14,
    (
        ident("line_id", "line id"),
        name("line_name", "name", combined("Red Blue Green Amber Silver Violet Coral", "Line Express Shuttle")),
        ref("depot_id", "depot id", "depot", "serve|serves {}", "served by {}"),
        num(
            "length_km",
            "length",
            decimal(3.5, 24.0),
            "longer than {}",
            "shorter than {}",
            most="longest",
            least="shortest",
            unit="kilometres",
            total=True,
        ),
        num(
            "stops_count",
            "number of stops",
            whole(8, 38),
            "with more than {} stops",
            "with fewer than {} stops",
            many="numbers of stops",
            total=True,
        ),
        flag(
            "night_service", "night service", pick("Y", "N"), "that run|runs at night", "that do|does not run at night"
        ),
    ),
)
DRIVER = Table(
    "driver",
    "driver",
    "drivers",
    40,
    (
        ident("driver_id", "driver id"),
        name("full_name", "full name", people()),
        ref("depot_id", "depot id", "depot", "employ|employs {}", "based at {}"),
        year(
            "hired",
            "hiring year",
            whole(1989, 2023),
            "who were|was hired in {}",
            "who were|was hired after {}",
            "who were|was hired before {}",
        ),
        num(
            "hourly_wage",
            "hourly wage",
            maybe(decimal(15.5, 28.0), 0.1),
            "who earn|earns more than {} an hour",
            "who earn|earns less than {} an hour",
            unit="euros",
            most="best-paid",
            least="worst-paid",
        ),
        cat(
            "licence",
            "licence class",
            pick("A", "B", "C"),
            "with a class {} licence",
            many="licence classes",
            unfit="without a class {} licence",
        ),
    ),
    who=True,
)
TRIP = Table(
    "trip",
    "trip",
    "trips",
    120,
    (
        ident("trip_id", "trip id"),
        ref("line_id", "line id", "line", "have|has {}", "on {}"),
        ref("driver_id", "driver id", "driver", "make|makes {}", "made by {}"),
        day("trip_date", "date", days(2022, 2023)),
        num(
            "delay_min",
            "delay",
            whole(0, 25),
            "delayed by more than {}",
            "delayed by less than {}",
            unit="minutes",
            high="longest",
            low="shortest",
            total=True,
        ),
        num(
            "passengers",
            "number of passengers",
            whole(12, 240),
            "with more than {} passengers",
            "with fewer than {} passengers",
            many="numbers of passengers",
            total=True,
        ),
        cat(
            "weather",
            "weather",
            pick("dry", "rain", "snow", "fog"),
            "in {} weather",
            many="kinds of weather",
            unfit="in other than {} weather",
            says={"rain": "rainy", "snow": "snowy", "fog": "foggy"},
        ),
    ),
)
DOMAIN = Domain(
    "tram_network",
    (DEPOT, LINE, DRIVER, TRIP),
    (
        Bridge("trip", "driver_id", "line_id", "who drive|drives {}"),
        Bridge("trip", "line_id", "driver_id", "driven by {}"),
    ),
)
