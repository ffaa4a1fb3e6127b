; A person walks on squares and pushes boxes; only pushes cost.
(define (domain sokoban)
  (:requirements :typing :action-costs)
  (:types square direction box)
  (:predicates
    (person-at ?s - square)
    (box-at ?b - box ?s - square)
    (free ?s - square)
    (next ?from ?to - square ?d - direction))
  (:functions (total-cost) - number)
  (:action walk
    :parameters (?from ?to - square ?d - direction)
    :precondition (and (person-at ?from) (free ?to) (next ?from ?to ?d))
    :effect (and (person-at ?to) (free ?from) (not (person-at ?from)) (not (free ?to))))
  (:action push
    :parameters (?b - box ?behind ?from ?to - square ?d - direction)
    :precondition (and
      (person-at ?behind) (box-at ?b ?from) (free ?to) (next ?behind ?from ?d) (next ?from ?to ?d))
    :effect (and
      (person-at ?from) (box-at ?b ?to) (free ?behind)
      (not (person-at ?behind)) (not (box-at ?b ?from)) (not (free ?to))
      (increase (total-cost) 1))))
