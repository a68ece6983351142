"""Boats, owners, moorings and lock passages of a canal company."""

from data.builtin.make.model import Bridge, Domain, Table, cat, day, flag, ident, name, num, ref, year
from data.builtin.make.values import combined, days, decimal, maybe, people, pick, whole

OWNER = Table(
    "OWNER",
    "owner",
    "owners",
    34,
    (
        ident("OWNER_ID", "owner id"),
        name("OWNER_NAME", "name", people()),
        cat(
            "OWNER_TOWN",
            "town",
            pick("Braunston", "Stoke", "Tring", "Hatton", "Marple"),
            "from {}",
            "who live|lives in {}",
            unfit="who do|does not live in {}",
        ),
        year(
            "LICENSED",
            "licence year",
            maybe(whole(1981, 2023), 0.1),
            "licensed in {}",
            "licensed after {}",
            "licensed before {}",
        ),
    ),
    who=True,
)
MOORING = Table(
    "MOORING",
    "mooring",
    "moorings",
    20,
    (
        ident("MOORING_ID", "mooring id"),
        name("MOORING_NAME", "name", combined("Cherry Otter Poplar Swan Tanner Weaver", "Wharf Basin Reach Quay")),
        cat("CANAL", "canal", pick("Grand Cut", "Mill Navigation", "Summit Canal"), "on the {}", unfit="not on the {}"),
        num(
            "PLACES",
            "number of places",
            whole(4, 36),
            "with more than {} places",
            "with fewer than {} places",
            many="numbers of places",
            most="largest",
            least="smallest",
            total=True,
        ),
        num(
            "FEE",
            "weekly fee",
            whole(22, 95),
            "that cost|costs more than {} a week",
            "that cost|costs less than {} a week",
            unit="pounds",
            most="most expensive",
            least="cheapest",
        ),
        flag("WATER", "water tap", pick("Y", "N"), "with a water tap", "without a water tap"),
    ),
)
BOAT = Table(
    "BOAT",
    "boat",
    "boats",
    64,
    (
        ident("BOAT_ID", "boat id"),
        name(
            "BOAT_NAME",
            "name",
            combined(
                "Brave Gentle Happy Jolly Lucky Merry Patient Quiet",
                "Badger Dipper Heron Kate Nancy Otter Rose Teal Vixen",
            ),
        ),
        ref("OWNER_ID", "owner id", "OWNER", "own|owns {}", "owned by {}"),
        ref("MOORING_ID", "mooring id", "MOORING", "shelter|shelters {}", "moored at {}"),
        cat(
            "BOAT_TYPE",
            "boat type",
            pick("narrowboat", "barge", "cruiser", "tug"),
            "of the type {}",
            unfit="of a type other than {}",
        ),
        num(
            "LENGTH_FT",
            "length",
            whole(22, 72),
            "longer than {}",
            "shorter than {}",
            unit="feet",
            most="longest",
            least="shortest",
        ),
        year(
            "BUILT",
            "building year",
            whole(1899, 2021),
            "built in {}",
            "built after {}",
            "built before {}",
            most="newest",
            least="oldest",
        ),
        num(
            "BERTHS",
            "number of berths",
            maybe(whole(1, 10), 0.15),
            "with more than {} berths",
            "with fewer than {} berths",
            many="numbers of berths",
            total=True,
        ),
    ),
)
PASSAGE = Table(
    "PASSAGE",
    "passage",
    "passages",
    120,
    (
        ident("PASSAGE_ID", "passage id"),
        ref("BOAT_ID", "boat id", "BOAT", "make|makes {}", "made by {}"),
        cat(
            "LOCK_NAME",
            "lock",
            pick("Top Lock", "Mill Lock", "Hay Lock", "Staircase"),
            "through {}",
            unfit="not through {}",
        ),
        day("PASSED_ON", "date", days(2022, 2023)),
        num(
            "WAIT_MIN",
            "waiting time",
            whole(0, 75),
            "with a wait of more than {}",
            "with a wait of less than {}",
            unit="minutes",
            high="longest",
            low="shortest",
            total=True,
        ),
        num(
            "TOLL",
            "toll",
            decimal(2.0, 14.0),
            "with a toll above {}",
            "with a toll below {}",
            unit="pounds",
            total=True,
            most="most expensive",
            least="cheapest",
        ),
        cat("DIRECTION", "direction", pick("up", "down"), "going {}", unfit="not going {}"),
    ),
)
DOMAIN = Domain(
    "canal_boats",
    (OWNER, MOORING, BOAT, PASSAGE),
    (
        Bridge("BOAT", "OWNER_ID", "MOORING_ID", "who keep|keeps boats at {}"),
        Bridge("BOAT", "MOORING_ID", "OWNER_ID", "used by {}"),
    ),
)
