"""Clubs, players, tournaments and games of a chess league."""

from data.builtin.make.model import Bridge, Domain, Table, cat, flag, ident, name, num, ref, year
from data.builtin.make.values import combined, decimal, maybe, people, pick, whole

CLUB = Table(
    "Club",
    "club",
    "clubs",
    14,
    (
        ident("ClubId", "club id"),
        name("ClubName", "name", combined("Bishop Castle Knight Pawn Queen", "Circle House Society")),
        cat(
            "City",
            "city",
            pick("Arlen", "Brack", "Corven", "Dell"),
            "in {}",
            "based in {}",
            many="cities",
            unfit="not based in {}",
        ),
        year(
            "Founded",
            "founding year",
            whole(1889, 2015),
            "founded in {}",
            "founded after {}",
            "founded before {}",
            most="newest",
            least="oldest",
        ),
        num(
            "Boards",
            "number of boards",
            whole(6, 40),
            "with more than {} boards",
            "with fewer than {} boards",
            many="numbers of boards",
            total=True,
        ),
    ),
)
PLAYER = Table(
    "Player",
    "player",
    "players",
    70,
    (
        ident("PlayerId", "player id"),
        name("PlayerName", "name", people()),
        ref("ClubId", "club id", "Club", "have|has {}", "who belong|belongs to {}"),
        num(
            "Rating",
            "rating",
            maybe(whole(1180, 2450), 0.1),
            "rated above {}",
            "rated below {}",
            most="strongest",
            least="weakest",
        ),
        year(
            "BirthYear",
            "birth year",
            whole(1946, 2012),
            "born in {}",
            "born after {}",
            "born before {}",
            most="youngest",
            least="oldest",
        ),
        cat(
            "Title",
            "title",
            maybe(pick("CM", "FM", "IM", "GM"), 0.4),
            "with the title {}",
            unfit="with a title other than {}",
            says={"GM": "grandmaster", "IM": "international master"},
        ),
        cat(
            "Country",
            "country",
            pick("Norway", "Serbia", "India", "Peru", "Kenya"),
            "from {}",
            many="countries",
            unfit="not from {}",
        ),
    ),
    who=True,
)
TOURNAMENT = Table(
    "Tournament",
    "tournament",
    "tournaments",
    18,
    (
        ident("TournamentId", "tournament id"),
        name("TournamentName", "name", combined("Autumn Winter Spring Summer Harbour", "Cup Open Festival Masters")),
        num(
            "PrizeMoney",
            "prize money",
            whole(200, 9000, 100),
            "with more than {} of prize money",
            "with less than {} of prize money",
            many="amounts of prize money",
            unit="euros",
            total=True,
        ),
        year("HeldIn", "year", whole(2012, 2023), "held in {}", "held after {}", "held before {}"),
        cat(
            "Format",
            "format",
            pick("Swiss", "knockout", "round robin"),
            "in the {} format",
            unfit="not in the {} format",
        ),
    ),
)
ENTRY = Table(
    "Entry",
    "entry",
    "entries",
    130,
    (
        ident("EntryId", "entry id"),
        ref("PlayerId", "player id", "Player", "have|has {}", "of {}"),
        ref("TournamentId", "tournament id", "Tournament", "have|has {}", "in {}"),
        num(
            "Points",
            "number of points",
            decimal(0.5, 9.0),
            "with more than {} points",
            "with fewer than {} points",
            many="numbers of points",
            total=True,
        ),
        num(
            "FinalPlace",
            "final place",
            whole(1, 40),
            "that finished behind place {}",
            "that finished ahead of place {}",
            high="last",
            low="best",
        ),
        flag("Paid", "payment", pick("Y", "N"), "that are|is paid", "that are|is still unpaid"),
    ),
)
DOMAIN = Domain(
    "chess_league",
    (CLUB, PLAYER, TOURNAMENT, ENTRY),
    (
        Bridge("Entry", "PlayerId", "TournamentId", "who take|takes part in {}"),
        Bridge("Entry", "TournamentId", "PlayerId", "attended by {}"),
    ),
)
