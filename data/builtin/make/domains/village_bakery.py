"""Breads, customers, orders and deliveries of a village bakery."""

from data.builtin.make.model import Bridge, Domain, Table, cat, day, flag, ident, name, num, ref, year
from data.builtin.make.values import combined, days, decimal, maybe, people, pick, whole

BAKER = Table(
    "bakers",
    "baker",
    "bakers",
    12,
    (
        ident("bid", "baker id"),
        name("bname", "name", people()),
        num(
            "yrs_exp",
            "experience",
            whole(1, 34),
            "with more than {} of experience",
            "with less than {} of experience",
            many="experiences",
            unit="years",
            most="most experienced",
            least="least experienced",
            high="longest",
            low="shortest",
        ),
        cat(
            "shift",
            "shift",
            pick("night", "morning", "day"),
            "on the {} shift",
            "who work|works the {} shift",
            unfit="who do|does not work the {} shift",
        ),
    ),
    who=True,
)
PRODUCT = Table(
    "products",
    "product",
    "products",
    32,
    (
        ident("pid", "product id"),
        name(
            "pname", "name", combined("Rye Spelt Walnut Cinnamon Poppy Butter Sour Honey", "Loaf Roll Twist Bun Wreath")
        ),
        ref("bid", "baker id", "bakers", "bake|bakes {}", "baked by {}"),
        cat(
            "cat",
            "category",
            pick("bread", "pastry", "cake"),
            "in the category {}",
            many="categories",
            unfit="outside the category {}",
        ),
        num(
            "price",
            "price",
            decimal(0.8, 9.5),
            "that cost|costs more than {}",
            "that cost|costs less than {}",
            unit="euros",
            most="most expensive",
            least="cheapest",
        ),
        num(
            "wt_g",
            "weight",
            whole(60, 1500, 10),
            "heavier than {}",
            "lighter than {}",
            unit="grams",
            most="heaviest",
            least="lightest",
        ),
        flag("vegan", "vegan mark", pick("Y", "N"), "that are|is vegan", "that are|is not vegan"),
    ),
)
CUSTOMER = Table(
    "customers",
    "customer",
    "customers",
    36,
    (
        ident("cid", "customer id"),
        name("cname", "name", people()),
        cat(
            "village",
            "village",
            pick("Oakley", "Penn", "Riverton", "Thorpe", "Upwell"),
            "from {}",
            "who live|lives in {}",
            unfit="who do|does not live in {}",
        ),
        cat(
            "allergy",
            "allergy",
            maybe(pick("nuts", "gluten", "milk"), 0.5),
            "with an allergy to {}",
            many="allergies",
            unfit="with an allergy to something other than {}",
        ),
        year(
            "since",
            "first year",
            whole(2005, 2023),
            "who first came in {}",
            "who first came after {}",
            "who first came before {}",
        ),
    ),
    who=True,
)
ORDER = Table(
    "orders",
    "order",
    "orders",
    120,
    (
        ident("oid", "order id"),
        ref("cid", "customer id", "customers", "place|places {}", "placed by {}"),
        ref("pid", "product id", "products", "appear|appears in {}", "for {}"),
        num(
            "qty",
            "quantity",
            whole(1, 24),
            "with a quantity above {}",
            "with a quantity below {}",
            many="quantities",
            most="largest",
            least="smallest",
            total=True,
        ),
        day("odate", "order date", days(2022, 2023)),
        cat("pay", "payment method", pick("cash", "card", "invoice"), "paid by {}", unfit="not paid by {}"),
        flag("delivered", "delivery", pick("N", "Y"), "that were|was delivered", "that were|was picked up"),
    ),
)
DOMAIN = Domain(
    "village_bakery",
    (BAKER, PRODUCT, CUSTOMER, ORDER),
    (Bridge("orders", "cid", "pid", "who order|orders {}"), Bridge("orders", "pid", "cid", "ordered by {}")),
)
