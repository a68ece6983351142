"""Telescopes, astronomers, targets and nights of an observatory."""

from data.builtin.make.model import Bridge, Domain, Table, cat, day, flag, ident, name, num, ref, year
from data.builtin.make.values import combined, days, decimal, listed, maybe, people, pick, whole

TELESCOPE = Table(
    "Telescopes",
    "telescope",
    "telescopes",
    9,
    (
        ident("TelescopeID", "telescope id"),
        name(
            "TelescopeName",
            "name",
            listed("Argus", "Borealis", "Cyclops", "Dawn", "Echo", "Falcon", "Gemma", "Helix", "Iris"),
        ),
        num(
            "MirrorCm",
            "mirror diameter",
            whole(40, 420, 10),
            "with a mirror wider than {}",
            "with a mirror narrower than {}",
            unit="centimetres",
            most="largest",
            least="smallest",
            high="largest",
            low="smallest",
        ),
        cat(
            "Mount", "mount", pick("equatorial", "altazimuth", "fixed"), "with an {} mount", unfit="without an {} mount"
        ),
        year(
            "FirstLight",
            "year of first light",
            whole(1934, 2021),
            "that saw first light in {}",
            "that saw first light after {}",
            "that saw first light before {}",
            many="years of first light",
            most="newest",
            least="oldest",
        ),
    ),
)
ASTRONOMER = Table(
    "Astronomers",
    "astronomer",
    "astronomers",
    34,
    (
        ident("AstronomerID", "astronomer id"),
        name("FullName", "full name", people()),
        cat(
            "University",
            "university",
            pick("Lund", "Porto", "Graz", "Leeds", "Turku"),
            "from {}",
            "who work|works in {}",
            many="universities",
            unfit="who do|does not work in {}",
        ),
        cat("Degree", "degree", pick("PhD", "MSc", "BSc"), "with the degree {}", unfit="with a degree other than {}"),
        num(
            "Papers",
            "number of papers",
            maybe(whole(0, 140), 0.1),
            "who wrote more than {} papers",
            "who wrote fewer than {} papers",
            many="numbers of papers",
            most="most prolific",
            least="least prolific",
            total=True,
        ),
    ),
    who=True,
)
TARGET = Table(
    "Targets",
    "target",
    "targets",
    60,
    (
        ident("TargetID", "target id"),
        name("TargetName", "name", combined("Alcor Deneb Lyra Mira Norma Orion Vela Zeta", "A B C D E F G H")),
        cat(
            "ObjectType",
            "object type",
            pick("star", "galaxy", "nebula", "comet"),
            "of the object type {}",
            unfit="of an object type other than {}",
        ),
        num(
            "DistanceLy",
            "distance",
            whole(4, 9000, 5),
            "farther away than {}",
            "closer than {}",
            unit="light years",
            most="most distant",
            least="closest",
        ),
        num(
            "Magnitude",
            "magnitude",
            decimal(0.2, 17.5),
            "with a magnitude above {}",
            "with a magnitude below {}",
            most="faintest",
            least="brightest",
        ),
        cat(
            "Constellation",
            "constellation",
            pick("Cygnus", "Lyra", "Orion", "Vela", "Draco"),
            "in {}",
            "in the constellation {}",
            unfit="outside {}",
        ),
    ),
)
SESSION = Table(
    "Sessions",
    "session",
    "sessions",
    120,
    (
        ident("SessionID", "session id"),
        ref("TelescopeID", "telescope id", "Telescopes", "host|hosts {}", "on {}"),
        ref("AstronomerID", "astronomer id", "Astronomers", "lead|leads {}", "led by {}"),
        ref("TargetID", "target id", "Targets", "have|has {}", "devoted to {}"),
        day("Night", "night", days(2021, 2023)),
        num(
            "Hours",
            "duration",
            decimal(0.5, 9.5),
            "longer than {}",
            "shorter than {}",
            unit="hours",
            most="longest",
            least="shortest",
            high="longest",
            low="shortest",
            total=True,
        ),
        num(
            "Seeing",
            "seeing",
            maybe(decimal(0.6, 3.8), 0.12),
            "with a seeing above {}",
            "with a seeing below {}",
            unit="arcseconds",
        ),
        flag("Cloudy", "cloud mark", pick("N", "Y"), "under a cloudy sky", "under a clear sky"),
    ),
)
DOMAIN = Domain(
    "observatory",
    (TELESCOPE, ASTRONOMER, TARGET, SESSION),
    (
        Bridge("Sessions", "AstronomerID", "TargetID", "who observe|observes {}"),
        Bridge("Sessions", "TargetID", "AstronomerID", "observed by {}"),
        Bridge("Sessions", "AstronomerID", "TelescopeID", "who use|uses {}"),
    ),
)
