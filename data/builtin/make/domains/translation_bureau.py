"""Translators, clients, texts and jobs of a translation bureau."""

from data.builtin.make.model import Bridge, Domain, Table, cat, day, flag, ident, name, num, ref, year
from data.builtin.make.values import combined, days, decimal, maybe, people, pick, whole

TRANSLATOR = Table(
    "Translators",
    "translator",
    "translators",
    40,
    (
        ident("tr_id", "translator id"),
        name("tr_name", "name", people()),
        cat(
            "nat_lang",
            "native language",
            pick("Finnish", "Greek", "Welsh", "Polish", "Swahili"),
            "with {} as native language",
            unfit="with a native language other than {}",
        ),
        num(
            "rate_word",
            "rate per word",
            decimal(0.06, 0.24, 2),
            "with a rate above {} a word",
            "with a rate below {} a word",
            many="rates per word",
            unit="euros",
            most="most expensive",
            least="cheapest",
        ),
        year(
            "start_yr",
            "starting year",
            whole(1988, 2022),
            "who started in {}",
            "who started after {}",
            "who started before {}",
        ),
        flag("sworn", "sworn status", pick("Y", "N"), "who are|is sworn", "who are|is not sworn"),
    ),
    who=True,
)
CLIENT = Table(
    "Clients",
    "client",
    "clients",
    26,
    (
        ident("cl_id", "client id"),
        name("cl_name", "name", combined("Atlas Birch Comet Delta Ember Fable", "Brothers Group House Partners Works")),
        cat(
            "sector",
            "sector",
            pick("publishing", "law", "medicine", "games"),
            "in the {} sector",
            "from the {} sector",
            unfit="outside the {} sector",
        ),
        cat(
            "ctry",
            "country",
            pick("Austria", "Canada", "Chile", "Japan"),
            "in {}",
            "based in {}",
            many="countries",
            unfit="not based in {}",
        ),
        num(
            "credit",
            "credit limit",
            maybe(whole(500, 9000, 250), 0.12),
            "with a credit limit above {}",
            "with a credit limit below {}",
            unit="euros",
            total=True,
        ),
    ),
)
JOB = Table(
    "Jobs",
    "job",
    "jobs",
    120,
    (
        ident("job_id", "job id"),
        ref("cl_id", "client id", "Clients", "order|orders {}", "ordered by {}"),
        ref("tr_id", "translator id", "Translators", "handle|handles {}", "handled by {}"),
        cat(
            "src_lang",
            "source language",
            pick("English", "German", "Greek", "Polish", "Finnish"),
            "from {}",
            "out of {}",
            unfit="from a language other than {}",
        ),
        cat(
            "tgt_lang",
            "target language",
            pick("Welsh", "Finnish", "Swahili", "Greek", "English"),
            "into {}",
            unfit="into a language other than {}",
        ),
        num(
            "words",
            "word count",
            whole(300, 24000, 50),
            "of more than {}",
            "of fewer than {}",
            unit="words",
            most="longest",
            least="shortest",
            total=True,
        ),
        day("due", "due date", days(2022, 2023)),
        cat(
            "status",
            "status",
            pick("finished", "open", "late"),
            "with the status {}",
            "that are|is {}",
            unfit="that are|is not {}",
            many="statuses",
        ),
        num(
            "fee",
            "fee",
            whole(40, 3800, 10),
            "that bring|brings in more than {}",
            "that bring|brings in less than {}",
            unit="euros",
            most="best-paid",
            least="worst-paid",
            total=True,
        ),
    ),
)
REVIEW = Table(
    "Reviews",
    "review",
    "reviews",
    70,
    (
        ident("rev_id", "review id"),
        ref("job_id", "job id", "Jobs", "receive|receives {}", "of {}"),
        ref("tr_id", "reviewer id", "Translators", "write|writes {}", "written by {}"),
        num(
            "score", "score", whole(1, 10), "with a score above {}", "with a score below {}", most="best", least="worst"
        ),
        num(
            "errs",
            "number of errors",
            whole(0, 40),
            "with more than {} errors",
            "with fewer than {} errors",
            many="numbers of errors",
            total=True,
        ),
        cat(
            "verdict",
            "verdict",
            pick("accepted", "returned", "rejected"),
            "with the verdict {}",
            unfit="with a verdict other than {}",
        ),
    ),
)
DOMAIN = Domain(
    "translation_bureau",
    (TRANSLATOR, CLIENT, JOB, REVIEW),
    (Bridge("Jobs", "tr_id", "cl_id", "who work|works for {}"), Bridge("Jobs", "cl_id", "tr_id", "served by {}")),
)
