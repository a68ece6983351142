"""Songs, singers, collectors and recordings of a folk song archive."""

from data.builtin.make.model import Bridge, Domain, Table, cat, day, flag, ident, name, num, ref, year
from data.builtin.make.values import combined, days, maybe, people, pick, whole

VILLAGE = Table(
    "village",
    "village",
    "villages",
    18,
    (
        ident("village_id", "village id"),
        name("village_name", "name", combined("Lower Upper Old Saint", "Arvel Brenna Carrow Dorin Elska")),
        cat("valley", "valley", pick("Isna", "Morra", "Tavel"), "in the {} valley", unfit="outside the {} valley"),
        num(
            "inhabitants",
            "number of inhabitants",
            whole(60, 2400, 10),
            "with more than {} inhabitants",
            "with fewer than {} inhabitants",
            many="numbers of inhabitants",
            most="largest",
            least="smallest",
            total=True,
        ),
        num(
            "altitude",
            "altitude",
            whole(120, 1650, 10),
            "higher than {}",
            "lower than {}",
            unit="metres",
            most="highest",
            least="lowest",
        ),
    ),
)
MUSICIAN = Table(
    "musician",
    "musician",
    "musicians",
    44,
    (
        ident("musician_id", "musician id"),
        name("musician_name", "name", people()),
        ref("village_id", "village id", "village", "have|has {}", "from {}"),
        year(
            "born",
            "birth year",
            maybe(whole(1868, 1961), 0.12),
            "born in {}",
            "born after {}",
            "born before {}",
            most="youngest",
            least="oldest",
        ),
        cat(
            "trade",
            "trade",
            pick("farmer", "smith", "weaver", "teacher", "shepherd"),
            "who work|works as a {}",
            unfit="who do|does not work as a {}",
        ),
        cat(
            "instrument",
            "instrument",
            maybe(pick("fiddle", "pipe", "zither", "drum"), 0.3),
            "who play|plays the {}",
            unfit="who play|plays an instrument other than the {}",
        ),
    ),
    who=True,
)
SONG = Table(
    "song",
    "song",
    "songs",
    56,
    (
        ident("song_id", "song id"),
        name(
            "title",
            "title",
            combined(
                "My,The Cold,The Dark,The Lonely,The Merry,Three,Two",
                "Bells,Brothers,Crows,Lovers,Mowers,Ponies,Rivers,Sailors,Winters",
            ),
        ),
        cat("theme", "theme", pick("love", "work", "war", "winter", "farewell"), "about {}", unfit="not about {}"),
        num(
            "verses",
            "number of verses",
            whole(2, 24),
            "with more than {} verses",
            "with fewer than {} verses",
            many="numbers of verses",
            most="longest",
            least="shortest",
            total=True,
        ),
        cat("mode", "mode", pick("major", "minor", "dorian"), "in the {} mode", unfit="not in the {} mode"),
        flag("printed", "print mark", pick("Y", "N"), "that are|is printed", "that are|is not printed"),
    ),
)
RECORDING = Table(
    "recording",
    "recording",
    "recordings",
    120,
    (
        ident("recording_id", "recording id"),
        ref("song_id", "song id", "song", "have|has {}", "of {}"),
        ref("musician_id", "musician id", "musician", "make|makes {}", "by {}"),
        day("recorded_on", "recording date", days(1928, 1979)),
        num(
            "seconds",
            "duration",
            whole(48, 540),
            "longer than {}",
            "shorter than {}",
            unit="seconds",
            most="longest",
            least="shortest",
            high="longest",
            low="shortest",
            total=True,
        ),
        cat("carrier", "carrier", pick("tape", "wax cylinder", "disc"), "on {}", "kept on {}", unfit="not kept on {}"),
        num(
            "quality",
            "sound quality",
            whole(1, 5),
            "with a sound quality above {}",
            "with a sound quality below {}",
            many="sound qualities",
            high="best",
            low="worst",
        ),
    ),
)
DOMAIN = Domain(
    "folk_archive",
    (VILLAGE, MUSICIAN, SONG, RECORDING),
    (
        Bridge("recording", "musician_id", "song_id", "who perform|performs {}"),
        Bridge("recording", "song_id", "musician_id", "performed by {}"),
    ),
)
