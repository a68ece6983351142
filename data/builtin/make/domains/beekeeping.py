"""Keepers of a beekeeping association, their apiaries and hives."""

from data.builtin.make.model import Domain, Table, cat, day, flag, ident, name, num, ref, year
from data.builtin.make.values import combined, days, maybe, people, pick, whole

KEEPER = Table(
    "Keeper",
    "keeper",
    "keepers",
    32,
    (
        ident("Keeper_ID", "keeper id"),
        name("Name", "name", people()),
        num(
            "Age",
            "age",
            whole(19, 84),
            "older than {}",
            "younger than {}",
            most="oldest",
            least="youngest",
            high="highest",
            low="lowest",
            span="aged between {} and {}",
        ),
        cat(
            "Home_Town",
            "home town",
            pick("Ashford", "Bramley", "Colne", "Dunster", "Elmswell", "Frome"),
            "from {}",
            "who live|lives in {}",
            unfit="who do|does not live in {}",
        ),
        year(
            "Member_Since",
            "year of joining",
            maybe(whole(1978, 2023), 0.1),
            "who joined in {}",
            "who joined after {}",
            "who joined before {}",
            many="years of joining",
        ),
    ),
    who=True,
)
APIARY = Table(
    "Apiary",
    "apiary",
    "apiaries",
    24,
    (
        ident("Apiary_ID", "apiary id"),
        name(
            "Apiary_Name",
            "name",
            combined("Clover Heather Hazel Linden Thyme Willow Bramble", "Bank Field Garth Orchard"),
        ),
        ref("Keeper_ID", "keeper id", "Keeper", "run|runs {}", "run by {}"),
        cat(
            "Landscape",
            "landscape",
            pick("orchard", "heath", "woodland", "meadow", "town"),
            "set in {}",
            unfit="not set in {}",
            says={"orchard": "an orchard", "heath": "heathland", "meadow": "a meadow", "town": "a town"},
        ),
        num(
            "Altitude",
            "altitude",
            whole(10, 640, 10),
            "higher than {}",
            "lower than {}",
            most="highest",
            least="lowest",
            unit="metres",
        ),
        flag("Fenced", "fence", pick("Y", "N"), "with a fence", "without a fence"),
    ),
)
HIVE = Table(
    "Hive",
    "hive",
    "hives",
    90,
    (
        ident("Hive_ID", "hive id"),
        name("Label", "label", combined("A B C D E F G H K", "11 12 14 17 21 23 25 28 31 36", "-")),
        ref("Apiary_ID", "apiary id", "Apiary", "hold|holds {}", "kept at {}"),
        cat(
            "Hive_Type",
            "hive type",
            pick("Langstroth", "Dadant", "Warre", "Top Bar"),
            "of the type {}",
            "of type {}",
            unfit="that are|is not of type {}",
        ),
        cat("Colour", "colour", pick("white", "blue", "yellow", "green"), "painted {}", unfit="not painted {}"),
        num(
            "Honey_Kg",
            "honey yield",
            maybe(whole(4, 46), 0.1),
            "that gave more than {} of honey",
            "that gave less than {} of honey",
            unit="kilograms",
            total=True,
            most="most productive",
            least="least productive",
        ),
        year(
            "Queen_Year",
            "queen year",
            whole(2018, 2023),
            "with a queen from {}",
            "with a queen born after {}",
            "with a queen born before {}",
        ),
    ),
)
INSPECTION = Table(
    "Inspection",
    "inspection",
    "inspections",
    110,
    (
        ident("Inspection_ID", "inspection id"),
        ref("Hive_ID", "hive id", "Hive", "have|has {}", "of {}"),
        ref("Keeper_ID", "keeper id", "Keeper", "make|makes {}", "made by {}"),
        day("Inspected_On", "inspection date", days(2021, 2023)),
        num(
            "Frames",
            "number of brood frames",
            whole(1, 11),
            "with more than {} brood frames",
            "with fewer than {} brood frames",
            many="numbers of brood frames",
        ),
        cat(
            "Mood",
            "mood",
            pick("calm", "lively", "angry"),
            "in which the bees were {}",
            unfit="in which the bees were not {}",
        ),
        flag("Mites", "mite finding", pick("N", "Y"), "that found mites", "that found no mites"),
    ),
)
DOMAIN = Domain("beekeeping", (KEEPER, APIARY, HIVE, INSPECTION))
