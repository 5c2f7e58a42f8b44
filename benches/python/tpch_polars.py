"""The 22 queries of TPC-H as anybody writes them with polars: lazy frames, filters, joins, aggregates.

In: the lazy frames of the tables, by name. Out: a lazy frame of the answer, with the columns of the text in SQL.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date

import polars as pl
from polars import LazyFrame, col

__all__ = ["QUERIES"]

Tables = Mapping[str, LazyFrame]


def _revenue() -> pl.Expr:
    return col("l_extendedprice") * (1 - col("l_discount"))


def _q1(t: Tables) -> LazyFrame:
    price, quantity, discount = col("l_extendedprice"), col("l_quantity"), col("l_discount")
    return (
        t["lineitem"]
        .filter(col("l_shipdate") <= date(1998, 9, 2))
        .group_by("l_returnflag", "l_linestatus")
        .agg(
            quantity.sum().alias("sum_qty"),
            price.sum().alias("sum_base_price"),
            _revenue().sum().alias("sum_disc_price"),
            (_revenue() * (1 + col("l_tax"))).sum().alias("sum_charge"),
            quantity.mean().alias("avg_qty"),
            price.mean().alias("avg_price"),
            discount.mean().alias("avg_disc"),
            pl.len().alias("count_order"),
        )
        .sort("l_returnflag", "l_linestatus")
    )


def _q2(t: Tables) -> LazyFrame:
    offers = (
        t["region"]
        .filter(col("r_name") == "EUROPE")
        .join(t["nation"], left_on="r_regionkey", right_on="n_regionkey")
        .join(t["supplier"], left_on="n_nationkey", right_on="s_nationkey")
        .join(t["partsupp"], left_on="s_suppkey", right_on="ps_suppkey")
    )
    wanted = t["part"].filter(col("p_size") == 15, col("p_type").str.ends_with("BRASS"))
    found = wanted.join(offers, left_on="p_partkey", right_on="ps_partkey")
    least = found.group_by("p_partkey").agg(col("ps_supplycost").min())
    names = ["s_acctbal", "s_name", "n_name", "p_partkey", "p_mfgr", "s_address", "s_phone", "s_comment"]
    return (
        found.join(least, on=["p_partkey", "ps_supplycost"])
        .select(names)
        .sort("s_acctbal", "n_name", "s_name", "p_partkey", descending=[True, False, False, False])
        .head(100)
    )


def _q3(t: Tables) -> LazyFrame:
    return (
        t["customer"]
        .filter(col("c_mktsegment") == "BUILDING")
        .join(
            t["orders"].filter(col("o_orderdate") < date(1995, 3, 15)),
            left_on="c_custkey",
            right_on="o_custkey",
        )
        .join(
            t["lineitem"].filter(col("l_shipdate") > date(1995, 3, 15)),
            left_on="o_orderkey",
            right_on="l_orderkey",
        )
        .group_by("o_orderkey", "o_orderdate", "o_shippriority")
        .agg(_revenue().sum().alias("revenue"))
        .select("o_orderkey", "revenue", "o_orderdate", "o_shippriority")
        .sort("revenue", "o_orderdate", descending=[True, False])
        .head(10)
    )


def _q4(t: Tables) -> LazyFrame:
    late = t["lineitem"].filter(col("l_commitdate") < col("l_receiptdate"))
    return (
        t["orders"]
        .filter(col("o_orderdate") >= date(1993, 7, 1), col("o_orderdate") < date(1993, 10, 1))
        .join(late, left_on="o_orderkey", right_on="l_orderkey", how="semi")
        .group_by("o_orderpriority")
        .agg(pl.len().alias("order_count"))
        .sort("o_orderpriority")
    )


def _q5(t: Tables) -> LazyFrame:
    return (
        t["region"]
        .filter(col("r_name") == "ASIA")
        .join(t["nation"], left_on="r_regionkey", right_on="n_regionkey")
        .join(t["customer"], left_on="n_nationkey", right_on="c_nationkey")
        .join(
            t["orders"].filter(col("o_orderdate") >= date(1994, 1, 1), col("o_orderdate") < date(1995, 1, 1)),
            left_on="c_custkey",
            right_on="o_custkey",
        )
        .join(t["lineitem"], left_on="o_orderkey", right_on="l_orderkey")
        .join(t["supplier"], left_on=["l_suppkey", "n_nationkey"], right_on=["s_suppkey", "s_nationkey"])
        .group_by("n_name")
        .agg(_revenue().sum().alias("revenue"))
        .sort("revenue", descending=True)
    )


def _q6(t: Tables) -> LazyFrame:
    return (
        t["lineitem"]
        .filter(
            col("l_shipdate") >= date(1994, 1, 1),
            col("l_shipdate") < date(1995, 1, 1),
            col("l_discount").is_between(0.05, 0.07),
            col("l_quantity") < 24,
        )
        .select((col("l_extendedprice") * col("l_discount")).sum().alias("revenue"))
    )


def _q7(t: Tables) -> LazyFrame:
    nation = t["nation"].filter(col("n_name").is_in(["FRANCE", "GERMANY"])).select("n_nationkey", "n_name")
    return (
        t["lineitem"]
        .filter(col("l_shipdate").is_between(date(1995, 1, 1), date(1996, 12, 31)))
        .join(t["supplier"], left_on="l_suppkey", right_on="s_suppkey")
        .join(nation.rename({"n_name": "supp_nation"}), left_on="s_nationkey", right_on="n_nationkey")
        .join(t["orders"], left_on="l_orderkey", right_on="o_orderkey")
        .join(t["customer"], left_on="o_custkey", right_on="c_custkey")
        .join(nation.rename({"n_name": "cust_nation"}), left_on="c_nationkey", right_on="n_nationkey")
        .filter(col("supp_nation") != col("cust_nation"))
        .group_by("supp_nation", "cust_nation", col("l_shipdate").dt.year().alias("l_year"))
        .agg(_revenue().sum().alias("revenue"))
        .sort("supp_nation", "cust_nation", "l_year")
    )


def _q8(t: Tables) -> LazyFrame:
    suppliers = t["supplier"].join(
        t["nation"].select("n_nationkey", col("n_name").alias("nation")),
        left_on="s_nationkey",
        right_on="n_nationkey",
    )
    volume = _revenue()
    return (
        t["region"]
        .filter(col("r_name") == "AMERICA")
        .join(t["nation"], left_on="r_regionkey", right_on="n_regionkey")
        .join(t["customer"], left_on="n_nationkey", right_on="c_nationkey")
        .join(
            t["orders"].filter(col("o_orderdate").is_between(date(1995, 1, 1), date(1996, 12, 31))),
            left_on="c_custkey",
            right_on="o_custkey",
        )
        .join(t["lineitem"], left_on="o_orderkey", right_on="l_orderkey")
        .join(
            t["part"].filter(col("p_type") == "ECONOMY ANODIZED STEEL"),
            left_on="l_partkey",
            right_on="p_partkey",
        )
        .join(suppliers, left_on="l_suppkey", right_on="s_suppkey")
        .group_by(col("o_orderdate").dt.year().alias("o_year"))
        .agg(
            (
                volume.filter(col("nation") == "BRAZIL").sum().cast(pl.Float64)
                / volume.sum().cast(pl.Float64)
            ).alias("mkt_share")
        )
        .sort("o_year")
    )


def _q9(t: Tables) -> LazyFrame:
    return (
        t["part"]
        .filter(col("p_name").str.contains("green", literal=True))
        .join(t["lineitem"], left_on="p_partkey", right_on="l_partkey")
        .join(t["supplier"], left_on="l_suppkey", right_on="s_suppkey")
        .join(t["partsupp"], left_on=["p_partkey", "l_suppkey"], right_on=["ps_partkey", "ps_suppkey"])
        .join(t["orders"], left_on="l_orderkey", right_on="o_orderkey")
        .join(t["nation"], left_on="s_nationkey", right_on="n_nationkey")
        .group_by(col("n_name").alias("nation"), col("o_orderdate").dt.year().alias("o_year"))
        .agg((_revenue() - col("ps_supplycost") * col("l_quantity")).sum().alias("sum_profit"))
        .sort("nation", "o_year", descending=[False, True])
    )


def _q10(t: Tables) -> LazyFrame:
    names = ["c_custkey", "c_name", "c_acctbal", "c_phone", "n_name", "c_address", "c_comment"]
    return (
        t["customer"]
        .join(
            t["orders"].filter(
                col("o_orderdate") >= date(1993, 10, 1), col("o_orderdate") < date(1994, 1, 1)
            ),
            left_on="c_custkey",
            right_on="o_custkey",
        )
        .join(t["lineitem"].filter(col("l_returnflag") == "R"), left_on="o_orderkey", right_on="l_orderkey")
        .join(t["nation"], left_on="c_nationkey", right_on="n_nationkey")
        .group_by(names)
        .agg(_revenue().sum().alias("revenue"))
        .select("c_custkey", "c_name", "revenue", "c_acctbal", "n_name", "c_address", "c_phone", "c_comment")
        .sort("revenue", descending=True)
        .head(20)
    )


def _q11(t: Tables) -> LazyFrame:
    value = (col("ps_supplycost") * col("ps_availqty")).sum()
    stock = (
        t["nation"]
        .filter(col("n_name") == "GERMANY")
        .join(t["supplier"], left_on="n_nationkey", right_on="s_nationkey")
        .join(t["partsupp"], left_on="s_suppkey", right_on="ps_suppkey")
    )
    total = stock.select(value.cast(pl.Float64).alias("total"))
    return (
        stock.group_by("ps_partkey")
        .agg(value.alias("value"))
        .join(total, how="cross")
        .filter(col("value").cast(pl.Float64) > col("total") * 0.0001)
        .select("ps_partkey", "value")
        .sort("value", descending=True)
    )


def _q12(t: Tables) -> LazyFrame:
    is_high = col("o_orderpriority").is_in(["1-URGENT", "2-HIGH"])
    return (
        t["lineitem"]
        .filter(
            col("l_shipmode").is_in(["MAIL", "SHIP"]),
            col("l_commitdate") < col("l_receiptdate"),
            col("l_shipdate") < col("l_commitdate"),
            col("l_receiptdate") >= date(1994, 1, 1),
            col("l_receiptdate") < date(1995, 1, 1),
        )
        .join(t["orders"], left_on="l_orderkey", right_on="o_orderkey")
        .group_by("l_shipmode")
        .agg(is_high.sum().alias("high_line_count"), (~is_high).sum().alias("low_line_count"))
        .sort("l_shipmode")
    )


def _q13(t: Tables) -> LazyFrame:
    orders = t["orders"].filter(~col("o_comment").str.contains("special.*requests"))
    return (
        t["customer"]
        .join(orders, left_on="c_custkey", right_on="o_custkey", how="left")
        .group_by("c_custkey")
        .agg(col("o_orderkey").count().alias("c_count"))
        .group_by("c_count")
        .agg(pl.len().alias("custdist"))
        .sort("custdist", "c_count", descending=True)
    )


def _q14(t: Tables) -> LazyFrame:
    promoted = _revenue().filter(col("p_type").str.starts_with("PROMO")).sum().cast(pl.Float64)
    return (
        t["lineitem"]
        .filter(col("l_shipdate") >= date(1995, 9, 1), col("l_shipdate") < date(1995, 10, 1))
        .join(t["part"], left_on="l_partkey", right_on="p_partkey")
        .select((100 * promoted / _revenue().sum().cast(pl.Float64)).alias("promo_revenue"))
    )


def _q15(t: Tables) -> LazyFrame:
    revenue = (
        t["lineitem"]
        .filter(col("l_shipdate") >= date(1996, 1, 1), col("l_shipdate") < date(1996, 4, 1))
        .group_by("l_suppkey")
        .agg(_revenue().sum().alias("total_revenue"))
    )
    return (
        t["supplier"]
        .join(revenue, left_on="s_suppkey", right_on="l_suppkey")
        .filter(col("total_revenue") == col("total_revenue").max())
        .select("s_suppkey", "s_name", "s_address", "s_phone", "total_revenue")
        .sort("s_suppkey")
    )


def _q16(t: Tables) -> LazyFrame:
    complained = t["supplier"].filter(col("s_comment").str.contains("Customer.*Complaints"))
    return (
        t["part"]
        .filter(
            col("p_brand") != "Brand#45",
            ~col("p_type").str.starts_with("MEDIUM POLISHED"),
            col("p_size").is_in([49, 14, 23, 45, 19, 3, 36, 9]),
        )
        .join(t["partsupp"], left_on="p_partkey", right_on="ps_partkey")
        .join(complained, left_on="ps_suppkey", right_on="s_suppkey", how="anti")
        .group_by("p_brand", "p_type", "p_size")
        .agg(col("ps_suppkey").n_unique().alias("supplier_cnt"))
        .sort("supplier_cnt", "p_brand", "p_type", "p_size", descending=[True, False, False, False])
    )


def _q17(t: Tables) -> LazyFrame:
    lines = (
        t["part"]
        .filter(col("p_brand") == "Brand#23", col("p_container") == "MED BOX")
        .join(t["lineitem"], left_on="p_partkey", right_on="l_partkey")
    )
    mean = lines.group_by("p_partkey").agg((0.2 * col("l_quantity").cast(pl.Float64).mean()).alias("few"))
    return (
        lines.join(mean, on="p_partkey")
        .filter(col("l_quantity").cast(pl.Float64) < col("few"))
        .select((col("l_extendedprice").sum().cast(pl.Float64) / 7).alias("avg_yearly"))
    )


def _q18(t: Tables) -> LazyFrame:
    large = (
        t["lineitem"]
        .group_by("l_orderkey")
        .agg(col("l_quantity").sum().alias("sum_quantity"))
        .filter(col("sum_quantity") > 300)
    )
    return (
        t["orders"]
        .join(large, left_on="o_orderkey", right_on="l_orderkey", how="semi")
        .join(t["customer"], left_on="o_custkey", right_on="c_custkey")
        .join(t["lineitem"], left_on="o_orderkey", right_on="l_orderkey")
        .group_by("c_name", col("o_custkey").alias("c_custkey"), "o_orderkey", "o_orderdate", "o_totalprice")
        .agg(col("l_quantity").sum())
        .sort("o_totalprice", "o_orderdate", descending=[True, False])
        .head(100)
    )


def _q19(t: Tables) -> LazyFrame:
    def kind(brand: str, sizes: int, least: int, *containers: str) -> pl.Expr:
        return (
            (col("p_brand") == brand)
            & col("p_container").is_in(containers)
            & col("l_quantity").is_between(least, least + 10)
            & col("p_size").is_between(1, sizes)
        )

    return (
        t["lineitem"]
        .filter(col("l_shipmode").is_in(["AIR", "AIR REG"]), col("l_shipinstruct") == "DELIVER IN PERSON")
        .join(t["part"], left_on="l_partkey", right_on="p_partkey")
        .filter(
            kind("Brand#12", 5, 1, "SM CASE", "SM BOX", "SM PACK", "SM PKG")
            | kind("Brand#23", 10, 10, "MED BAG", "MED BOX", "MED PKG", "MED PACK")
            | kind("Brand#34", 15, 20, "LG CASE", "LG BOX", "LG PACK", "LG PKG")
        )
        .select(_revenue().sum().alias("revenue"))
    )


def _q20(t: Tables) -> LazyFrame:
    shipped = (
        t["lineitem"]
        .filter(col("l_shipdate") >= date(1994, 1, 1), col("l_shipdate") < date(1995, 1, 1))
        .group_by("l_partkey", "l_suppkey")
        .agg((0.5 * col("l_quantity").sum().cast(pl.Float64)).alias("half"))
    )
    offered = (
        t["partsupp"]
        .join(
            t["part"].filter(col("p_name").str.starts_with("forest")),
            left_on="ps_partkey",
            right_on="p_partkey",
            how="semi",
        )
        .join(shipped, left_on=["ps_partkey", "ps_suppkey"], right_on=["l_partkey", "l_suppkey"])
        .filter(col("ps_availqty") > col("half"))
    )
    return (
        t["supplier"]
        .join(t["nation"].filter(col("n_name") == "CANADA"), left_on="s_nationkey", right_on="n_nationkey")
        .join(offered, left_on="s_suppkey", right_on="ps_suppkey", how="semi")
        .select("s_name", "s_address")
        .sort("s_name")
    )


def _q21(t: Tables) -> LazyFrame:
    late = t["lineitem"].filter(col("l_receiptdate") > col("l_commitdate"))
    suppliers = t["lineitem"].group_by("l_orderkey").agg(col("l_suppkey").n_unique().alias("all"))
    late_ones = late.group_by("l_orderkey").agg(col("l_suppkey").n_unique().alias("late"))
    return (
        late.join(t["supplier"], left_on="l_suppkey", right_on="s_suppkey")
        .join(
            t["nation"].filter(col("n_name") == "SAUDI ARABIA"), left_on="s_nationkey", right_on="n_nationkey"
        )
        .join(
            t["orders"].filter(col("o_orderstatus") == "F"),
            left_on="l_orderkey",
            right_on="o_orderkey",
            how="semi",
        )
        .join(suppliers.filter(col("all") > 1), on="l_orderkey", how="semi")
        .join(late_ones.filter(col("late") == 1), on="l_orderkey", how="semi")
        .group_by("s_name")
        .agg(pl.len().alias("numwait"))
        .sort("numwait", "s_name", descending=[True, False])
        .head(100)
    )


def _q22(t: Tables) -> LazyFrame:
    customers = t["customer"].with_columns(col("c_phone").str.slice(0, 2).alias("cntrycode"))
    customers = customers.filter(col("cntrycode").is_in(["13", "31", "23", "29", "30", "18", "17"]))
    balance = col("c_acctbal").cast(pl.Float64)
    mean = customers.filter(col("c_acctbal") > 0).select(balance.mean().alias("mean"))
    return (
        customers.join(t["orders"], left_on="c_custkey", right_on="o_custkey", how="anti")
        .join(mean, how="cross")
        .filter(balance > col("mean"))
        .group_by("cntrycode")
        .agg(pl.len().alias("numcust"), col("c_acctbal").sum().alias("totacctbal"))
        .sort("cntrycode")
    )


QUERIES: dict[int, Callable[[Tables], LazyFrame]] = {
    number: globals()[f"_q{number}"] for number in range(1, 23)
}
"""The queries by their numbers."""
