"""The simulator of PDDL, on its own and beside translated tasks."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest

import runner
from runner.base.errors import UserError
from tests.naive.pddl import NaiveSimulator
from tests.planning import DATA, SMALL, needs_translator
from worlds.pddl import rules
from worlds.pddl.conditions import Atoms, BoundCondition, Conditions
from worlds.pddl.lifted import Simulator, changed_predicates, objects_of
from worlds.pddl.reader import read_domain, read_problem
from worlds.pddl.syntax import with_blanks
from worlds.pddl.world import PlanningWorld

DOMAIN = """
(define (domain Lamps) ; cases do not matter
  (:requirements :adl :action-costs)
  (:types lamp touchable - object room - touchable small - lamp small - touchable)
  (:constants main - lamp)
  (:predicates (lit ?l - lamp) (in ?l - lamp ?r - room) (dark ?r - room) (broken ?l - (either lamp room)))
  (:functions (total-cost) - number (price ?l - lamp) - number)
  (:action SWITCH
    :parameters (?l - lamp ?r - room)
    :precondition (and (in ?l ?r) (or (not (lit ?l)) (= ?l main)) (not (exists (?o - small) (broken ?o))))
    :effect (and (lit ?l) (not (dark ?r)) (increase (total-cost) (price ?l))
      (forall (?o - lamp) (when (and (in ?o ?r) (not (= ?o ?l))) (not (lit ?o))))))
  (:action touch
    :parameters (?l - touchable)
    :effect (and (not (lit ?l)) (lit ?l) (increase (total-cost) 2))))
"""
PROBLEM = """
(define (problem p) (:domain lamps)
  (:objects desk - small hall - room)
  (:init (in main hall) (in desk hall) (dark hall) (= (price main) 5) (= (price desk) 3) (= (total-cost) 0))
  (:goal (and (forall (?l - small) (lit ?l)) (imply (dark hall) (lit main))))
  (:metric minimize (total-cost)))
"""


ALL_ATOMS = [f"in {lamp} {room}" for lamp in ("main", "desk", "hall") for room in ("hall", "desk")]
ALL_ATOMS += [f"{name} {each}" for name in ("lit", "dark", "broken") for each in ("main", "desk", "hall")]


def _condition(source: random.Random, depth: int, names: list[str]) -> str:
    """Return a random condition in which some variables are free. Names are used again, and hide others."""
    kind = source.choice(["and", "or", "not", "imply", "exists", "forall"]) if depth else "atom"
    if kind in ("exists", "forall"):
        new = source.sample(["?a", "?b", "?c"], source.randint(1, 2))
        types = [source.choice(["", " - lamp", " - small", " - room", " - object"]) for _ in new]
        variables = " ".join(f"{name}{type_}" for name, type_ in zip(new, types, strict=True))
        return f"({kind} ({variables}) {_condition(source, depth - 1, names + new)})"
    if kind != "atom":
        parts = {"not": 1, "imply": 2}.get(kind, source.randint(0, 3))
        return f"({kind} {' '.join(_condition(source, depth - 1, names) for _ in range(parts))})"
    name = source.choice(["in", "lit", "dark", "broken", "=", "in", "in"])
    terms = [source.choice([*names, *names, *names, "main", "desk", "hall"]) for _ in range(1 + (name in ("in", "=")))]
    return f"({name} {' '.join(terms)})"


def simulator(domain: str = DOMAIN, problem: str = PROBLEM) -> Simulator:
    model = read_domain(Path("d.pddl"), domain)
    return Simulator(model, read_problem(Path("p.pddl"), problem, model))


def play(rules_of_pddl: Simulator, *actions: str) -> tuple[Atoms, int]:
    state, total = rules_of_pddl.initial, 0
    for action in actions:
        state, cost = rules_of_pddl.act(state, action)
        total += cost
    return state, total


def test_conditions_effects_and_costs() -> None:
    lamps = simulator()
    assert not lamps.is_goal(lamps.initial)
    state, cost = play(lamps, "switch main hall", "switch desk hall")
    assert state == {("in", "main", "hall"), ("in", "desk", "hall"), ("lit", "desk")}
    assert (cost, lamps.is_goal(state)) == (8, True)
    state, _ = play(lamps, "SWITCH desk hall", "(switch main hall)", "switch main hall")
    assert ("lit", "desk") not in state


def test_an_atom_that_is_deleted_and_added_is_true() -> None:
    assert ("lit", "desk") in play(simulator(), "touch desk")[0]


def test_without_a_metric_every_action_costs_1() -> None:
    assert play(simulator(problem=PROBLEM.replace("(:metric minimize (total-cost))", "")), "touch desk")[1] == 1


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        (["swtch main hall"], "there is no action 'swtch'"),
        (["switch main"], "switch takes 2 arguments, got 1"),
        (["switch hall main"], "hall is no lamp"),
        (["touch main"], "main is no touchable"),
        (["touch nothing"], "nothing is no touchable"),
        (
            ["switch desk hall", "switch desk hall"],
            r"precondition \(or \(not \(lit desk\)\) \(= desk main\)\) does not",
        ),
    ],
)
def test_impossible_actions_say_why(actions: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        play(simulator(), *actions)


IN_DOMAIN = [
    (":adl", ":fluents", "d.pddl: line 3: requirement ':fluents' is not supported"),
    (":adl", ":adll", "did you mean ':adl'"),
    ("(in ?l ?r)", "(inn ?l ?r)", "d.pddl: line 10: there is no predicate 'inn'; did you mean"),
    ("(in ?l ?r)", "(in ?l)", "d.pddl: line 10: in takes 2 arguments, got 1"),
    ("(:types", "(:typs", "d.pddl: line 4: there is no section ':typs'; did you mean ':types'"),
    ("?o - small", "?o - smal", r"d.pddl: line 10: \?o: there is no type 'smal'; did you mean"),
    ("(?l - lamp ?r - room)\n    :pre", "(?l - lamp ?r - hall)\n    :pre", "line 8: .*'hall'"),
    ("main - lamp", "main - lam", "d.pddl: line 2: main: there is no type 'lam'"),
    (
        "(and (in ?l ?r) (or",
        "(and (in ?l ?room) (or",
        r"d.pddl: line 10: \(in \?l \?room\): undefined variable '\?room'; did you mean '\?r'\?$",
    ),
    ("(broken ?o))))", "(broken ?o))) (broken ?o))", "d.pddl: line 10: .* undefined variable '[?]o'"),
    ("(price ?l))", "(price ?o))", r"d.pddl: line 11: \(price \?o\): undefined variable"),
    ("?o ?l)))", "?o main2)))", "d.pddl: line 12: .* undefined object 'main2'; .* 'main'"),
    ("(and (in ?l ?r)", "(and ((in ?l ?r))", "d.pddl: line 10: .*, got a list in a list"),
    ("(price ?l))", "(price (?l)))", "d.pddl: line 11: expected words in"),
    ("(price ?l))", "(prize ?l))", "line 11: 'prize' is no function, .*did you mean 'price'"),
    ("touch", "switch", "d.pddl: line 13: there is another action 'switch'"),
    ("2))))", "2) (increase (total-cost) 1))))", "line 15: action touch: more than one"),
    (":effect (and (not", ":effect (and (lit ?l)) :effect (and (not", "15: .*:effect is there twice"),
    ("- touchable)\n    :eff", "- (either small room))\n    :eff", "14: either is not supported"),
    (":action touch", ":durative-action touch", r"line 13: durative actions \(:durative-action"),
    ("(and (in ?l", "(and (>= (price ?l) 1) (in ?l", r"10: conditions on numbers \(>=\)"),
    ("(increase (total-cost) 2)", "(decrease (total-cost) 2)", "15: decrease is not supported"),
    *(
        ("(increase (total-cost) 2)", f"({each} (total-cost) 2)", f"15: {each} is not supported")
        for each in ("assign", "scale-up", "scale-down")
    ),
    ("(increase (total-cost) 2)", "(increase (price main) 2)", "15: .* no other function can"),
    (
        "(increase (total-cost) 2)",
        "(forall (?x - lamp) (increase (total-cost) 2))",
        "15: .* cannot be inside of forall",
    ),
    ("(and (in ?l", "(and (= (price ?l) 1) (in ?l", r"10: conditions on numbers \(=\)"),
    *(
        (":adl", f":adl {each}", f"d.pddl: line 3: requirement '{each}' is not supported")
        for each in (
            ":durative-actions",
            ":numeric-fluents",
            ":object-fluents",
            ":timed-initial-literals",
            ":constraints",
            ":preferences",
            ":continuous-effects",
            ":time",
            ":duration-inequalities",
        )
    ),
    ("(:action touch", "(:process touch", "line 13: there is no section ':process'"),
    ("(dark ?r - room)", "(dark ?r - room) (in ?l - lamp)", "6: 'in' is declared twice, with 2 and 1 parameters"),
    *(
        (
            "(:action touch",
            f"(:{name})\n(:action touch",
            rf"line 13: a second \(:{name} ...\); the first one is in line {line}",
        )
        for line, name in enumerate(["requirements", "types", "constants", "predicates", "functions"], 3)
    ),
]
"""A part of the domain, the text in its place, and the message."""
IN_PROBLEM = [
    (":domain lamps", ":domain lamp", "of the domain 'lamp', but the domain file defines 'lamps'"),
    ("(:goal", "(:gaol", "p.pddl: line 5: there is no section ':gaol'; did you mean ':goal'"),
    ("minimize", "maximize", "p.pddl: line 6: expected '\\(:metric minimize \\(total-cost\\)\\)'"),
    ("hall - room", "hall - roam", "p.pddl: line 3: hall: there is no type 'roam'"),
    ("(lit main)", "(lit ?l)", r"p.pddl: line 5: \(lit \?l\): undefined variable '\?l'$"),
    ("(in desk", "(in desc", "p.pddl: line 4: .* undefined object 'desc'; did you mean 'desk'"),
    ("(dark hall) (=", "((dark hall)) (=", r"p.pddl: line 4: expected \(PREDICATE ...\), got a"),
    ("(price main)", "(price)", "p.pddl: line 4: price takes 1 arguments, got 0"),
    ("(price main) 5", "(price main) 0.5", "p.pddl: line 4: expected .* a whole number from 0"),
    ("desk -", "dësk -", "p.pddl: line 3: 'ë' is not ASCII"),
    ("(:goal", "(:constraints (a))(:goal", r"5: constraints on plans \(:constraints\) are not"),
    ("(:goal", "(:length (:serial 5))(:goal", r"5: bounds on plans \(:length\) are not"),
    ("(imply", "(preference a (lit main)) (imply", "line 5: preferences are not supported"),
    *(
        ("(imply", f"({each} (price main) 1) (imply", rf"5: conditions on numbers \({each}\)")
        for each in ("<", "<=", ">", ">=")
    ),
    *(
        ("(:goal", f"{section} (:goal", rf"p.pddl: line {line}: a second \({name} ...\)")
        for name, section, line in [
            (":objects", "(:objects a - lamp)", 5),
            (":init", "(:init)", 5),
            (":domain", "(:domain lamps)", 5),
            (":goal", "(:goal (lit main))\n", 6),
            (":requirements", "(:requirements) (:REQUIREMENTS)", 5),
            (":metric", "(:metric minimize (total-cost))\n\n", 8),
        ]
    ),
    ("hall - room", "hall --room", "line 3: hall: there is no type '-'"),
    ("hall - room", "hall DESK - room", "p.pddl: line 3: the object 'desk' is declared twice"),
    ("hall - room", "hall main - room", "p.pddl: line 3: the object 'main' is declared twice"),
]
"""Likewise in the problem."""
MISTAKES = [
    *((DOMAIN.replace(before, after), PROBLEM, message) for before, after, message in IN_DOMAIN),
    *((DOMAIN, PROBLEM.replace(before, after), message) for before, after, message in IN_PROBLEM),
    (DOMAIN[:-3], PROBLEM, r"d.pddl: line 15: the bracket opened in line 13 is never closed"),
    (DOMAIN + ")", PROBLEM, "d.pddl: line 16: '\\)' after the end of the definition"),
    ("", PROBLEM, "d.pddl: line 1: the file is empty"),
    ("lamp (", PROBLEM, "d.pddl: line 1: expected '\\(define"),
    (DOMAIN, DOMAIN, "p.pddl: line 2: expected a problem, got a domain"),
    (DOMAIN, PROBLEM[: PROBLEM.index("(:goal")] + "(:goal ()))", "p.pddl: line 5: expected one condition as goal"),
    (
        DOMAIN.replace("(lit ?l) (inc", "(when (lit ?l) (inc").replace("2))))", "2)))))"),
        PROBLEM,
        "15: .* inside of when",
    ),
    (DOMAIN, "(" * 500, "nested more than 400 deep"),
]


def test_two_parameters_of_one_name_have_the_same_value() -> None:
    domain = DOMAIN.replace("(?l - touchable)", "(?l - touchable ?l - lamp)")
    assert play(simulator(domain), "touch desk desk")[1] == 2
    with pytest.raises(ValueError, match=r"the parameters \?l are desk and main"):
        play(simulator(domain), "touch desk main")


def test_comments_end_with_their_line_only() -> None:
    text = PROBLEM.replace("desk - small", "; \f \v \x1c \x85 \u2028 é ((\r desk ; (\r\n - \f\v small")
    assert play(simulator(problem=text), "switch desk hall")[1] == 3


def test_a_dash_before_a_name_is_no_part_of_it() -> None:
    assert DOMAIN.count(" - lamp") > 3
    joined = simulator(DOMAIN.replace("- ", "-"), PROBLEM.replace("hall - room", "hall -room"))
    assert play(joined, "switch desk hall") == play(simulator(), "switch desk hall")
    with pytest.raises(ValueError, match="main is no touchable"):
        joined.act(joined.initial, "touch main")
    before, after = (
        "a -b ?x -c(d)-(either\n-e f) -7 g-h - i ; j -k\r-l",
        "a - b ?x - c(d)-(either\n- e f) -7 g-h - i ; j -k\r- l",
    )
    assert (with_blanks(before), with_blanks(after)) == (after, after)


def test_an_action_whose_cost_has_no_value_is_impossible() -> None:
    with pytest.raises(ValueError, match=r"\(price desk\) has no value"):
        play(simulator(problem=PROBLEM.replace("(= (price desk) 3)", "")), "switch desk hall")


@pytest.mark.parametrize(("domain", "problem", "message"), MISTAKES)
def test_mistakes_are_one_line(domain: str, problem: str, message: str) -> None:
    with pytest.raises(UserError, match=message) as error:
        simulator(domain, problem)
    assert "\n" not in str(error.value)


def test_quantified_conditions_hold_where_an_enumeration_of_all_values_finds_them() -> None:
    source = random.Random(7)
    text = DOMAIN.replace(
        "(:action touch", "(:action any :parameters (?x - lamp) :effect (forall (?y) EFFECT))\n(:action touch"
    ).replace("main - lamp", "main - lamp desk - small hall - room")
    truths = 0
    for _ in range(400):
        condition = _condition(source, 4, [])
        problem = PROBLEM.replace(
            "(in main hall) (in desk hall) (dark hall)",
            " ".join(f"({atom})" for atom in ALL_ATOMS if source.random() < 0.4),
        ).replace("desk - small hall - room", "")
        effect = f"(forall (?z - lamp) (when {_condition(source, 2, ['?x', '?y', '?z'])} (in ?z ?y)))"
        model = read_domain(Path("d.pddl"), text.replace("EFFECT", effect))
        read = read_problem(Path("p.pddl"), problem.replace("(and (forall", f"(and {condition} (forall", 1), model)
        rules_of_pddl, naive = Simulator(model, read), NaiveSimulator(model, read)
        goal = read.goal.lists(1)[0]
        state = rules_of_pddl.initial
        truth = naive.holds(goal, state, {})
        assert Conditions(objects_of(model, read), state).hold([BoundCondition(goal, True, {})]) == truth, condition
        assert rules_of_pddl.act(state, "any main")[0] == naive.after("any", {"?x": "main"}, state), effect
        truths += truth
    assert 100 < truths < 300


def test_a_chain_of_quantified_variables_takes_a_step_for_each_match() -> None:
    """An enumeration of all values would take 80 ** 8 steps."""
    names = [f"?v{number}" for number in range(8)]
    chain = " ".join(f"(in {first} {second})" for first, second in itertools.pairwise(names))
    domain = DOMAIN.replace("(in ?l - lamp ?r - room)", "(in ?l ?r)")
    objects = [f"o{number}" for number in range(80)]
    true = " ".join(f"(in {first} {second})" for first in objects for second in objects if first < second)
    for last, is_goal in (("(not (dark ?v7))", True), ("(broken ?v7)", False)):
        rules_of_pddl = simulator(
            domain,
            f"""
            (define (problem p) (:domain lamps) (:objects {" ".join(objects)})
            (:init {true}) (:goal (exists ({" ".join(names)}) (and {chain} (not (lit ?v0)) {last}))))
        """,
        )
        assert rules_of_pddl.is_goal(rules_of_pddl.initial) == is_goal


RULES = DOMAIN.replace("(dark ?r - room)", "(dark ?r - room) (shown ?x) (hidden ?x)").replace(
    "(:action SWITCH", "(:derived (shown ?x - lamp) (lit ?x)) (:derived (hidden ?y) (not (shown ?y)))\n(:action SWITCH"
)


def test_derived_atoms_are_those_of_the_state_after_the_action() -> None:
    lamps = simulator(RULES)
    assert {atom for atom in lamps.initial if atom[0] == "hidden"} == {("hidden", x) for x in ("main", "desk", "hall")}
    state, _ = lamps.act(lamps.initial, "touch desk")
    assert {atom for atom in state if atom[0] in ("hidden", "shown")} == {
        ("shown", "desk"), ("hidden", "main"), ("hidden", "hall"),
    }  # fmt: skip
    assert changed_predicates(read_domain(Path("d.pddl"), RULES)) == {"lit", "dark", "shown", "hidden"}


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("(:derived (shown ?x - lamp) (lit ?x))", "(:derived (shown ?x - lamp))", "8: expected \\(:derived \\(PRED"),
        ("(:derived (shown ?x - lamp) (lit ?x))", "(:derived (shwn ?x) (lit ?x))", "8: there is no predicate 'shwn'"),
        ("(shown ?x - lamp) (lit", "(shown ?x ?x) (lit", r"8: \(shown ...\): expected different variables"),
        ("(shown ?x - lamp) (lit", "(shown main) (lit", r"8: \(shown ...\): expected different variables"),
        ("(shown ?x - lamp) (lit", "(shown ?x ?y) (lit", "8: shown takes 1 arguments, got 2"),
        ("(shown ?x - lamp) (lit", "(shown ?x - lam) (lit", r"8: \?x: there is no type 'lam'; did you mean 'lamp'"),
        ("(shown ?x - lamp) (lit ?x)", "(shown ?x) (lt ?x)", "8: there is no predicate 'lt'"),
        ("(shown ?x - lamp) (lit ?x)", "(shown ?x) (imply (hidden ?x) (lit ?x))",
         "8: 'hidden' depends on the negation of 'shown', which depends on it in turn; derived predicates must"),
        ("(not (lit ?l)) (lit ?l)", "(not (lit ?l)) (shown ?l)", "16: the predicate 'shown' is derived, so no"),
        (":derived (shown", ":axiom (shown", r"8: \(:axiom ...\) is not supported; write \(:derived"),
    ],
)  # fmt: skip
def test_mistakes_in_rules_are_one_line(before: str, after: str, message: str) -> None:
    assert before in RULES
    with pytest.raises(UserError, match=f"d.pddl: line {message}"):
        simulator(RULES.replace(before, after, 1))


def test_derived_atoms_are_not_in_init() -> None:
    with pytest.raises(UserError, match=r"p.pddl: line 4: the predicate 'shown' is derived, so :init cannot have it"):
        simulator(RULES, PROBLEM.replace("(dark hall) (=", "(dark hall) (shown desk) (="))


PROBLEMS = sorted(path for path in SMALL.glob("*/*.pddl") if path.stem not in ("domain", "corner"))
PROBLEMS += sorted(path for path in DATA.glob("*/*.pddl") if path.stem != "domain")


@needs_translator
@pytest.mark.parametrize("path", PROBLEMS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_random_walks_of_translated_tasks_are_plays_of_the_simulator(path: Path) -> None:
    (instance,) = runner.load("pddl/file", path=str(path))
    assert isinstance(instance.world, PlanningWorld)
    task, source = instance.world.task, random.Random(path.stem)
    model = read_domain(path, (path.parent / "domain.pddl").read_text())
    rules_of_pddl = Simulator(model, read_problem(path, path.read_text(), model))
    known = {fact for facts in task.facts for fact in facts}
    for _ in range(5):
        values, state = task.initial, rules_of_pddl.initial
        for _ in range(30):
            names = {f"{atom[0]}({', '.join(atom[1:])})" if atom[1:] else atom[0] for atom in state}
            assert task.true_facts(values) == names & known
            assert instance.world.describe(instance.world.state(task.true_facts(values))).facts == names & known
            assert rules.is_goal(task, values) == rules_of_pddl.is_goal(state)
            steps = list(rules.successors(task, values))
            if not steps:
                break
            operator, values = source.choice(steps)
            state, cost = rules_of_pddl.act(state, operator.name)
            assert cost == operator.cost
