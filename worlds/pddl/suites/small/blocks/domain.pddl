; A crane moves one block at a time from the table or a stack to another place.
(define (domain blocks)
  (:requirements :strips :equality :negative-preconditions)
  (:predicates (on ?upper ?lower) (on-table ?b) (clear ?b))
  (:action stack
    :parameters (?b ?to)
    :precondition (and (not (= ?b ?to)) (clear ?b) (on-table ?b) (clear ?to))
    :effect (and (on ?b ?to) (not (on-table ?b)) (not (clear ?to))))
  (:action unstack
    :parameters (?b ?from)
    :precondition (and (clear ?b) (on ?b ?from))
    :effect (and (on-table ?b) (clear ?from) (not (on ?b ?from))))
  (:action move
    :parameters (?b ?from ?to)
    :precondition (and (not (= ?b ?to)) (not (= ?from ?to)) (clear ?b) (on ?b ?from) (clear ?to))
    :effect (and (on ?b ?to) (clear ?from) (not (on ?b ?from)) (not (clear ?to)))))
