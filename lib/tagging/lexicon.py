"""Word lists for tagging: generic words of each kind of clause, words of operators and aggregates, adjectives, numbers.

Base forms, lower case; ours, gathered from grammar rather than from one corpus. A word that may mean several things
stands in several lists: the clause decides which lists count.
"""


def words(text: str) -> frozenset[str]:
    """The words of a text that is nothing but words.

    >>> sorted(words("least fewest"))
    ['fewest', 'least']
    """
    return frozenset(text.split())


# --- SELECT -----------------------------------------------------------------------------------------------------
INTERROGATIVES = words("what which who whom whose how when where")
COMMANDS = words(
    """find list show return give display tell count report get state print select retrieve name provide compute
    calculate identify present describe determine output fetch want know please enumerate obtain"""
)
DISTINCT = words("distinct different unique various")

# --- Grammar ----------------------------------------------------------------------------------------------------
RELATIVES = words("who whom whose that which where when")
PREPOSITIONS = words(
    """in on at by from to of for with without within during under over above below before after among outside inside
    through near along behind against via since until"""
)
BE = words("is are was were be been being am")
HAVE = words("has have had having")
DO = words("do does did")
MODALS = words("can could will would may might must shall should")
VERBS = BE | HAVE | DO | MODALS
ARTICLES = words("a an the all any some this these those their its his her every each no")
CONJUNCTIONS = words("and or but")
SENTENCE_ENDS = words(". ? ! ;")

PARTICIPLES = words(
    "made won sold led held kept run set built sent put paid said hit cut"
)  # without an ending that shows it
CONDITIONS = words("with without having except excluding but")  # lead a condition
CONDITION_PAIRS = {("apart", "from"), ("aside", "from"), ("other", "than"), ("such", "that"), ("not", "including")}

# --- WHERE, HAVING and conditions of set operators --------------------------------------------------------------
OPERATOR_WORDS = {
    ">": words(
        """more great greater high higher large larger big bigger above over after exceed beyond late later long old
        tall heavy expensive"""
    ),
    "<": words("less few fewer low lower small smaller below under before early earlier short young cheap"),
    ">=": words("least minimum more great greater above over after since onwards onward later late"),
    "<=": words("most maximum less few fewer below under before until earlier early up"),
    "=": words("equal exactly same only single call name"),
    "!=": words("not no other except never without neither different outside"),
    "like": words("contain include start begin end letter word prefix substring suffix string character phrase like"),
    "between": words("between range"),
    "in": words("any some exist either among"),
    "not": words("not no never without any neither none nor except exclude"),
    "null": words("missing empty null unknown blank unspecified"),
}
OPERATOR_WORDS["<>"] = OPERATOR_WORDS["!="]
OPERATOR_WORDS["=="] = OPERATOR_WORDS["="]
OPERATOR_WORDS["ilike"] = OPERATOR_WORDS["glob"] = OPERATOR_WORDS["like"]

AGGREGATE_WORDS = {
    "count": words("number count total amount many frequency quantity"),
    "sum": words("total sum combined overall altogether amount much many"),
    "avg": words("average mean averagely"),
    "max": words("maximum max maximal large high great big most late long old good top"),
    "min": words("minimum min minimal small low least few early short young cheap"),
}

# --- ORDER BY ---------------------------------------------------------------------------------------------------
ORDER_VERBS = words("order sort rank arrange put")
DIRECTIONS = words(
    """ascending descending ascendingly descendingly alphabetical alphabetically alphabetic increasing decreasing
    lexicographic lexicographical lexicographically reverse chronological chronologically"""
)
ORDER_WORDS = ORDER_VERBS | DIRECTIONS | words("ascend descend")
EXTREMES = words(
    """most least top bottom fewest maximum minimum highest lowest largest smallest greatest biggest common
    popular frequent frequently recent recently best worst"""
)

# --- GROUP BY ---------------------------------------------------------------------------------------------------
GROUP_WORDS = words("each every per respective respectively individual corresponding group")

# --- Set operators ----------------------------------------------------------------------------------------------
SET_WORDS = {
    "INTERSECT": words("both also common share well"),
    "UNION": words("either all together combine union plus well"),
    "EXCEPT": words("not no never without except exclude but other any neither none nor n't"),
}

# The words between the two queries of a set operator, where a condition stands before them.
BETWEEN_QUERIES = {"INTERSECT": words("and but"), "UNION": words("or and"), "EXCEPT": words("but")}

# --- Words that stand for a column ------------------------------------------------------------------------------
# Adjective -> nouns of the columns that it measures.
ADJECTIVES = {
    "tall": words("height"),
    "short": words("height length duration time"),
    "long": words("length duration time distance expectancy hour"),
    "high": words("height altitude elevation rate score"),
    "deep": words("depth"),
    "wide": words("width"),
    "heavy": words("weight"),
    "light": words("weight"),
    "old": words("age birth birthday year founded founding built open opening date established"),
    "young": words("age birth birthday year date"),
    "elderly": words("age birth"),
    "new": words("year date age opening founded"),
    "recent": words("year date time"),
    "recently": words("year date time"),
    "late": words("year date time"),
    "latest": words("year date time"),
    "early": words("year date time"),
    "earliest": words("year date time"),
    "cheap": words("price cost rate fee fare charge"),
    "expensive": words("price cost rate fee fare charge"),
    "costly": words("price cost fee"),
    "pricey": words("price cost"),
    "fast": words("speed time horsepower acceleration accelerate"),
    "quick": words("speed time"),
    "slow": words("speed time"),
    "large": words("area size population capacity number amount acreage surface"),
    "big": words("area size population capacity number"),
    "small": words("area size population capacity number"),
    "rich": words("worth wealth money income salary earnings balance"),
    "poor": words("worth wealth income salary balance"),
    "wealthy": words("worth wealth money income"),
    "populous": words("population"),
    "populated": words("population"),
    "populace": words("population"),
    "populate": words("population"),
    "popular": words("popularity rating score percentage number"),
    "hot": words("temperature"),
    "warm": words("temperature"),
    "cold": words("temperature"),
    "cool": words("temperature"),
    "windy": words("wind speed"),
    "humid": words("humidity"),
    "far": words("distance"),
    "near": words("distance"),
    "close": words("distance date"),
    "good": words("rating score grade rank"),
    "bad": words("rating score grade rank"),
    "experienced": words("experience year"),
    "strong": words("power strength"),
    "powerful": words("power horsepower"),
    "senior": words("age year"),
    "frequent": words("count frequency"),
    "alphabetical": words("name title"),
    "alphabetically": words("name title"),
}

# Word -> other words for the same, in both directions; applied to the words of names.
SYNONYMS = {
    word: group - {word}
    for group in map(
        words,
        (
            "country nation",
            "nationality citizenship nation country",
            "sex gender",
            "kind type category",
            "movie film",
            "pupil student",
            "teacher instructor professor",
            "employee staff worker",
            "salary wage pay earnings",
            "price cost",
            "phone telephone",
            "mail email",
            "car vehicle automobile",
            "town city",
            "store shop",
            "location place address",
            "begin start",
            "finish end",
            "customer client",
            "birth born",
            "death died die",
            "picture photo image",
            "fname first",
            "lname last",
            "num number",
            "amt amount",
            "qty quantity",
            "dept department",
            "addr address",
            "desc description",
            "year time",
        ),
    )
    for word in sorted(group)
}

# Values that stand for words.
VALUE_WORDS = {
    "f": words("female woman girl"),
    "m": words("male man boy"),
    "l": words("left"),
    "r": words("right"),
    "t": words("true yes official"),
    "y": words("yes"),
    "yes": words("with has"),
    "n": words("no not"),
    "female": words("woman girl"),
    "male": words("man boy"),
    "usa": words("america american us"),
    "us": words("america american usa"),
    "uk": words("britain british"),
}

_UNITS = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen twenty"""
NUMBERS = {word: str(value) for value, word in enumerate(_UNITS.split())}
NUMBERS |= {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "hundred": "100", "thousand": "1000"}
NUMBERS |= {"once": "1", "twice": "2", "single": "1", "first": "1", "second": "2", "third": "3", "dozen": "12"}

# Words of names that say nothing by themselves.
STOP_WORDS = words("of the in a an and to for by is on or at as with from s")


def _uses() -> dict[str, tuple[str, ...]]:
    """Word -> what it is used for, for all lists whose meaning depends on the clause."""
    lists = [
        *((f"operator {name}", listed) for name, listed in OPERATOR_WORDS.items()),
        *((f"aggregate {name}", listed) for name, listed in AGGREGATE_WORDS.items()),
        *((f"measures {noun}", {adjective}) for adjective, nouns in ADJECTIVES.items() for noun in nouns),
        *((f"value {name}", listed) for name, listed in VALUE_WORDS.items()),
        *SET_WORDS.items(),
        ("ORDER BY", ORDER_WORDS),
        ("GROUP BY", GROUP_WORDS),
        ("extreme", EXTREMES),
    ]
    uses: dict[str, list[str]] = {}
    for use, listed in lists:
        for word in listed:
            uses.setdefault(word, []).append(use)
    return {word: tuple(sorted(found)) for word, found in uses.items()}


USES = _uses()
