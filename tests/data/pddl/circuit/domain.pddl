; Derived predicates: recursion, negation of a derived predicate, conditions of effects, and a rule without arguments.
(define (domain circuit)
  (:requirements :adl :derived-predicates :action-costs)
  (:types node switch)
  (:constants source - node)
  (:predicates
    (wire ?from ?to - node ?s - switch) (closed ?s - switch) (broken ?n - node) (lamp ?n - node) (warm ?n - node)
    (live ?n - node) (dark ?n - node) (danger))
  (:functions (total-cost) - number)
  (:derived (live ?n - node) (= ?n source))
  (:derived (live ?n - node)
    (exists (?m - node ?s - switch) (and (live ?m) (closed ?s) (or (wire ?m ?n ?s) (wire ?n ?m ?s)))))
  (:derived (dark ?n - node) (and (lamp ?n) (or (not (live ?n)) (broken ?n))))
  (:derived (danger) (exists (?n) (and (live ?n) (broken ?n))))
  (:action flip-on
    :parameters (?s - switch)
    :precondition (and (not (closed ?s)) (not (danger)))
    :effect (and (closed ?s) (increase (total-cost) 2)))
  (:action flip-off
    :parameters (?s - switch)
    :precondition (closed ?s)
    :effect (and (not (closed ?s)) (forall (?n - node) (when (dark ?n) (not (warm ?n)))) (increase (total-cost) 1)))
  (:action repair
    :parameters (?n - node)
    :precondition (and (broken ?n) (not (live ?n)))
    :effect (and (not (broken ?n)) (increase (total-cost) 5)))
  (:action wait
    :effect (and (forall (?n - node) (when (not (dark ?n)) (warm ?n))) (increase (total-cost) 1))))
