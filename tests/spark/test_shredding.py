"""What Spark's own Parquet reader makes of files whose variants are shredded."""

from __future__ import annotations

import pyarrow.parquet as pq

from corpus.variant_bytes import table_of_variants, variants
from floeberg import variant

ALIKE = [
    {
        "n": number * 1000,
        "s": f"text {number}",
        "tags": ["a", number],
        "o": {"x": number / 2, "b": number > 1},
    }
    for number in range(20)
]
OTHERS = [
    "text",
    None,
    {},
    {"n": None},
    {"n": "no number", "more": [1, {}]},
    {"o": 5, "tags": {"s": 1}},
    1.5,
    [1, [2]],
]
ROWS = [{"id": number, "v": each} for number, each in enumerate([*ALIKE, *OTHERS])] + [{"id": 99}]


def test_spark_reads_the_files(spark, tmp_path):
    table = table_of_variants(tmp_path)
    answers = []
    for shred in ("true", "false"):
        options = {"shred-variants": shred, "variant-inference-buffer-size": "20"}
        table.overwrite(variants(ROWS), options=options)
        (path,) = table.inspect.files()["file_path"].to_pylist()
        is_shredded = any("typed_value" in str(column) for column in pq.ParquetFile(path).schema)
        assert is_shredded == (shred == "true")
        asked = (
            "id",
            "to_json(v)",
            "variant_get(v, '$.n', 'string')",
            "try_variant_get(v, '$.o.x', 'double')",
        )
        answers.append(spark.read.parquet(path).selectExpr(*asked).orderBy("id").collect())
    assert answers[0] == answers[1]
    assert [row[2] for row in answers[0][:4]] == ["0", "1000", "2000", "3000"]
    assert [row[3] for row in answers[0][:4]] == [0, 0.5, 1, 1.5]


def test_options_of_a_write_shred_what_spark_writes(spark, tmp_path):
    table = table_of_variants(tmp_path)
    rows = spark.sql("""SELECT id, parse_json(concat('{"n": ', id, ', "s": "x"}')) AS v FROM range(200)""")
    options = {
        "path": str(tmp_path / "ns" / "events"),
        "shred-variants": "true",
        "variant-inference-buffer-size": "9",
    }
    rows.coalesce(1).write.format("floeberg").mode("append").options(**options).save()
    (path,) = table.refresh().inspect.files()["file_path"].to_pylist()
    # The first nine numbers have eight bits; wider ones are not in the typed column.
    numbers = pq.read_table(path, columns=["v"])["v"].combine_chunks().field("typed_value").field("n")
    assert numbers.field("typed_value").to_pylist() == [*range(128), *[None] * 72]
    found = table.scan().to_arrow().sort_by("id")["v"]
    assert variant.to_pylist(found) == [{"n": number, "s": "x"} for number in range(200)]
