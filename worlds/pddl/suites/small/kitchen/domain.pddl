; Full pots are cooked by hot stoves: conditional effects, some of them for all pots, and costs.
(define (domain kitchen)
  (:requirements :adl :action-costs)
  (:types pot stove)
  (:predicates
    (on ?p - pot ?s - stove)
    (hot ?s - stove)
    (full ?p - pot)
    (cooked ?p - pot)
    (free ?s - stove)
    (away ?p - pot))
  (:functions (total-cost) - number (heating ?s - stove) - number)
  (:action fill
    :parameters (?p - pot)
    :precondition (and (not (full ?p)) (away ?p))
    :effect (and (full ?p) (not (cooked ?p)) (increase (total-cost) 1)))
  (:action place
    :parameters (?p - pot ?s - stove)
    :precondition (and (free ?s) (away ?p))
    :effect (and
      (on ?p ?s) (not (free ?s)) (not (away ?p))
      (when (and (hot ?s) (full ?p)) (cooked ?p))
      (increase (total-cost) 2)))
  (:action remove
    :parameters (?p - pot ?s - stove)
    :precondition (on ?p ?s)
    :effect (and (free ?s) (away ?p) (not (on ?p ?s)) (increase (total-cost) 2)))
  (:action heat
    :parameters (?s - stove)
    :precondition (not (hot ?s))
    :effect (and
      (hot ?s)
      (forall (?p - pot) (when (and (on ?p ?s) (full ?p)) (cooked ?p)))
      (increase (total-cost) (heating ?s)))))
