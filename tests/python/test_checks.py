"""Each check of `tools/` finds a violation that is put before it, and nothing in what is right."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import check_architecture
import check_java
import check_known_failures
import check_lengths
import check_modules
import check_rules
import check_stubs
import pytest
from cargo_workspace import strip_comments


def workspace(**dependencies: list[str]) -> dict[str, Any]:
    """A workspace of crates with these dependencies, and rules for three layers."""
    rules = {"layers": ["core", "io", "top"], "only": {"tokio": ["io"]}, "banned": ["umbrella"]}
    packages = [
        {"name": name, "dependencies": [{"name": library} for library in libraries]}
        for name, libraries in dependencies.items()
    ]
    return {"metadata": {"architecture": rules}, "packages": packages}


def test_layers_that_point_left_are_right() -> None:
    right = workspace(core=["bytes"], io=["core", "tokio"], top=["io", "core"], tests=["top"])
    assert check_architecture.dependency_faults(right) == []


def test_a_dependency_to_the_right_is_found() -> None:
    (fault,) = check_architecture.dependency_faults(workspace(core=["io"], io=[], top=[]))
    assert fault == "core depends on io, which does not stand to its left in `layers`"


def test_a_library_in_the_wrong_crate_is_found() -> None:
    (fault,) = check_architecture.dependency_faults(workspace(core=["tokio"], io=[], top=[]))
    assert fault == "core depends on tokio: only io may"


def test_a_banned_library_is_found_in_tests_too() -> None:
    (fault,) = check_architecture.dependency_faults(workspace(core=[], io=[], top=[], tests=["umbrella"]))
    assert fault == "tests depends on umbrella, which is banned"


def test_no_layer_depends_on_the_tests_and_benches_may() -> None:
    (fault,) = check_architecture.dependency_faults(
        workspace(core=["tests"], io=[], top=[], tests=[], benches=["tests"])
    )
    assert fault == "core depends on tests, which is no layer"


def test_a_word_is_found_outside_its_file_and_not_in_comments() -> None:
    sources = {"a.rs": "py.detach(|| 1);", "b.rs": "// py.detach(\nlet x = 1;\npy.detach(x);"}
    faults = check_architecture.word_faults({r"\.detach\(": ["a.rs"]}, sources)
    assert faults == [r"b.rs:3: `\.detach\(` may stand only in a.rs"]


def test_comments_and_strings_are_blanked_line_by_line() -> None:
    source = 'let a = "crate::x"; // crate::y\n/* crate::\nz */ let c = \'"\'; let d = r#"crate::"w"#;'
    stripped = strip_comments(source)
    assert "crate::" not in stripped
    assert stripped.count("\n") == source.count("\n")
    assert "let c" in stripped and "let d" in stripped


CRATE = {
    "lib.rs": "pub mod wire;\nmod schema;\npub(crate) mod plan;\n#[cfg(test)]\nmod sample;\npub use plan::Task;\n",
    "wire.rs": "",
    "schema/mod.rs": "mod json;\nmod field;\npub use self::field::Field;\n",
    "schema/json.rs": "",
    "schema/field.rs": "",
    "plan/mod.rs": "mod task;\npub use task::Task;\n",
    "plan/task.rs": "",
}


def module_faults(sources: dict[str, str]) -> list[str]:
    """The faults of a crate of wire, schema {json, field}, plan {task}."""
    files = {Path(path): text for path, text in (CRATE | sources).items()}
    return check_modules.rust_faults("crate", files)


def test_modules_that_use_what_stands_before_them_are_right() -> None:
    uses = "use crate::{wire, schema::{self, json, Field as F}};\nuse super::Task;\nfn f(x: schema::Field) {}"
    assert module_faults({"plan/task.rs": uses}) == []
    assert module_faults({"schema/field.rs": "use super::json::read;\nuse crate::wire;"}) == []


@pytest.mark.parametrize(
    ("file", "text", "tie"),
    [
        ("wire.rs", "use crate::{schema::{self, Field}};", "crate: wire -> schema"),
        ("wire.rs", "fn f() { crate::plan::go() }", "crate: wire -> plan"),
        ("wire.rs", "use crate::Task;", "crate: wire -> plan"),
        ("wire.rs", "use super::plan::Task as T;", "crate: wire -> plan"),
        ("schema/json.rs", "use super::Field;", "crate::schema: json -> field"),
        ("schema/json.rs", "use super::{field, super::wire};", "crate::schema: json -> field"),
        ("schema/json.rs", "fn f(x: super::field::Field) {}", "crate::schema: json -> field"),
        ("schema/json.rs", "use crate::schema;\nfn f(x: schema::Field) {}", "crate::schema: json -> field"),
        ("schema/json.rs", "use crate::plan::*;", "crate: schema -> plan"),
    ],
)
def test_a_module_that_uses_what_stands_after_it_is_found(file: str, text: str, tie: str) -> None:
    assert module_faults({file: text}) == [f"{tie} points down the list of its folder, in {file}"]


def test_a_cycle_deep_below_is_found() -> None:
    deep = {
        "plan/task.rs": "mod a;\nmod b;",
        "plan/task/a.rs": "use super::b::B;",
        "plan/task/b.rs": "use super::a::A;",
    }
    assert module_faults(deep) == [
        "crate::plan::task: a -> b points down the list of its folder, in plan/task/a.rs"
    ]


def test_what_tests_use_does_not_count() -> None:
    tests = {"wire.rs": "#[cfg(test)]\nmod tests { use crate::plan::Task; }\nfn f() {}"}
    assert module_faults(tests | {"sample.rs": "use crate::plan::Task;"}) == []


PACKAGE = {
    "__init__.py": "from floeberg.table import Table",
    "errors.py": "",
    "table.py": "",
    "spark/__init__.py": "",
    "spark/reader.py": "",
}
ORDERS = {(): ["errors", "table", "spark"]}


def package_faults(sources: dict[str, str]) -> list[str]:
    files = {Path(path): text for path, text in (PACKAGE | sources).items()}
    return check_modules.python_faults(files, ORDERS)


def test_python_modules_have_an_order_too() -> None:
    assert package_faults({"spark/reader.py": "from floeberg import Table, errors, _native"}) == []
    for late in (
        "from floeberg.spark import reader",
        "def f():\n    import floeberg.spark.reader",
        "if TYPE_CHECKING:\n    from .spark.reader import Reader",
    ):
        assert package_faults({"table.py": late}) == [
            "floeberg: table -> spark points down the list of its folder, in table.py"
        ]


def test_python_rooms_are_all_in_the_list() -> None:
    assert package_faults({"extra.py": ""}) == ["floeberg: extra is not in its list of rooms"]
    del (without := dict(PACKAGE))["errors.py"]
    files = {Path(path): text for path, text in without.items()}
    assert check_modules.python_faults(files, ORDERS) == ["floeberg: there is no room errors"]


def test_python_files_of_a_room_use_each_other_in_no_circle() -> None:
    chain = {
        "spark/a.py": "from floeberg.spark import reader",
        "spark/b.py": "from floeberg.spark.a import A",
    }
    assert package_faults(chain) == []
    assert package_faults(chain | {"spark/reader.py": "def f():\n    from floeberg.spark.b import B"}) == [
        "floeberg::spark: a -> reader -> b -> a is a circle"
    ]


def test_a_long_file_is_found_and_tests_may_be_longer() -> None:
    assert check_lengths.faults({Path("src/a.rs"): 500, Path("src/tests.rs"): 800}) == []
    assert len(check_lengths.faults({Path("src/a.rs"): 501, Path("src/tests.rs"): 801})) == 2


def test_entries_of_the_list_must_be_whole() -> None:
    whole = {"case": "w/c", "parts": ["rows"], "reason": "r", "issue": 3}
    assert check_known_failures.entry_faults([whole], {"w/c"}) == []
    for wrong in (
        {"case": "w/d"},
        {"parts": ["all"]},
        {"parts": []},
        {"reason": " "},
        {"issue": "3"},
        {"because": ""},
    ):
        assert len(check_known_failures.entry_faults([whole | wrong], {"w/c"})) == 1, wrong
    assert check_known_failures.entry_faults([whole, whole], {"w/c"}) == ["w/c: rows is listed twice"]


def test_a_case_that_is_named_in_a_source_is_found() -> None:
    cases = {"writer/some_odd_case"}
    sources = [
        ("a.py", 'skip = "some_odd_case"'),
        ("b.rs", "// writer/some_odd_case"),
        ("c.py", "some_odd_case = 1"),
    ]
    faults = check_known_failures.naming_faults(sources, cases)
    assert [fault.split(" ")[0] for fault in faults] == ["a.py:1", "b.rs:1"]


def java_that_says(folder, words):
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho '{words}' >&2\n")
    java.chmod(0o755)
    return str(folder)


@pytest.mark.skipif(os.name != "posix", reason="the stand-in is a shell script")
@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ('openjdk version "17.0.15" 2025-04-15', None),
        ('openjdk version "25" 2025-09-16', None),
        ('java version "1.8.0_411"', "Java 17, and .*/java says .*1.8.0_411"),
        ('openjdk version "11.0.2" 2019-01-15', "Java 17, and .*11.0.2.*: install Java 17"),
        ("no version here", "no version here"),
    ],
)
def test_java_is_as_old_as_pyspark_needs(tmp_path, monkeypatch, words, fault):
    monkeypatch.setenv("JAVA_HOME", java_that_says(tmp_path / "java", words))
    found = check_java.java_fault()
    assert found is None if fault is None else re.search(fault, found)


def test_a_machine_without_java_is_told_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert "does not run" in check_java.java_fault()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "install Java 17 or later" in check_java.java_fault()


def rules(**changed: Any) -> list[dict[str, Any]]:
    """A table of rules that is right, with the first rule changed."""
    right = {"says": "One is one.", "section": "Numbers", "tests": ["a/tests.rs::one_is_one"]}
    whole = [right | {"number": number} for number in check_rules.NUMBERS]
    return [{key: value for key, value in (whole[0] | changed).items() if value is not None}, *whole[1:]]


RULE_SOURCES = {
    "a/tests.rs": "#[test]\n#[cfg(unix)]\nfn one_is_one() {}\nfn two_is_two() {}",
    "test_a.py": "class TestA:\n    def test_one(self): ...\ndef one(): ...",
    "a.rs": "let one = 1;\nlet two = 2;\nlet too = 2;",
}


def test_a_table_of_rules_with_tests_and_reasons_is_right() -> None:
    change = {"file": "a.rs", "replace": "one = 1", "with": "one = 2"}
    for right in (
        {},
        {"tests": ["test_a.py::test_one"]},
        {"tests": None, "later": "not built"},
        {"tests": None, "excepted": "not read"},
        {"broken_by": change},
    ):
        assert check_rules.rule_faults(rules(**right), RULE_SOURCES) == [], right


def test_a_rule_without_a_test_or_of_a_test_that_is_not_there_is_found() -> None:
    for wrong, fault in (
        ({"tests": None}, "rule 1 has no test and no reason for that"),
        ({"tests": ["a/tests.rs::two_is_two"]}, "rule 1: there is no test a/tests.rs::two_is_two"),
        ({"tests": ["test_a.py::one"]}, "rule 1: there is no test test_a.py::one"),
        ({"tests": ["b.rs::one"]}, "rule 1: there is no test b.rs::one"),
        ({"says": " "}, "rule 1: no says"),
        ({"why": "so"}, "rule 1: unknown keys why"),
    ):
        assert check_rules.rule_faults(rules(**wrong), RULE_SOURCES) == [fault], wrong
    faults = check_rules.rule_faults(rules(number=99), RULE_SOURCES)
    assert faults == ["rule 1 stands 0 times", "99 is no rule"]


def test_a_change_that_cannot_break_a_rule_is_found() -> None:
    for change, fault in (
        ({"file": "a.rs", "replace": "= 2", "with": "= 3"}, "rule 1: a.rs has '= 2' 2 times, expected once"),
        ({"file": "a.rs", "replace": "one", "with": "one"}, "rule 1: broken_by changes nothing"),
        ({"file": "a.rs"}, "rule 1: broken_by has the keys file, replace, with"),
    ):
        assert check_rules.rule_faults(rules(broken_by=change), RULE_SOURCES) == [fault], change


def test_a_habit_of_writers_needs_a_test_or_a_case() -> None:
    habit = {"of": "some", "says": "Ones are twos."}
    for wrong, fault in (
        ({}, "habit 'Ones are twos.' has no test and no case"),
        ({"cases": ["some/other"]}, "habit 'Ones are twos.': there is no case some/other"),
        ({"tests": ["a.rs::one"]}, "habit 'Ones are twos.': there is no test a.rs::one"),
        ({"cases": ["some/one"], "why": "so"}, "habit 'Ones are twos.': unknown keys why"),
    ):
        assert check_rules.habit_faults([habit | wrong], RULE_SOURCES, {"some/one"}) == [fault]
    assert check_rules.habit_faults([habit | {"cases": ["some/one"]}], RULE_SOURCES, {"some/one"}) == []


def test_a_stub_is_compared_with_what_the_binary_has_of_it(tmp_path):
    stub = tmp_path / "table.pyi"
    stub.write_text(
        "class Table: ...\ndef file_exists() -> bool: ...\ndef gone() -> None: ...\n_Alias = int\n"
    )
    assert check_stubs.declared(stub) == ["Table", "file_exists", "gone"]
    module = check_stubs.stand_in("floeberg._native.table", stub)
    assert module.Table is check_stubs._native.Table
    assert not hasattr(module, "gone")


def test_every_name_of_the_binary_is_in_one_stub():
    stubs = [stub for stub in check_stubs.STUBS.glob("*.pyi") if stub.stem != "__init__"]
    names = [name for stub in stubs for name in check_stubs.declared(stub)]
    assert sorted(names) == sorted(set(check_stubs._native.__all__) - {"__version__"})
