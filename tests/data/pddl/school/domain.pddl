; Conditions of which the translator makes axioms: forall, not exists and imply in preconditions, or in the goal.
(define (domain school)
  (:requirements :adl)
  (:types pupil room)
  (:predicates (in ?p - pupil ?r - room) (open ?r - room) (lit ?r - room) (done) (tidy ?r - room))
  (:action enter
    :parameters (?p - pupil ?r - room)
    :precondition (and (open ?r) (not (exists (?q - room) (in ?p ?q))))
    :effect (in ?p ?r))
  (:action leave
    :parameters (?p - pupil ?r - room)
    :precondition (in ?p ?r)
    :effect (and (not (in ?p ?r)) (not (tidy ?r))))
  (:action close
    :parameters (?r - room)
    :precondition (and (open ?r) (forall (?p - pupil) (imply (in ?p ?r) (lit ?r))))
    :effect (not (open ?r)))
  (:action light
    :parameters (?r - room)
    :precondition (not (forall (?p - pupil) (not (in ?p ?r))))
    :effect (and (lit ?r) (when (forall (?p - pupil) (in ?p ?r)) (tidy ?r))))
  (:action end
    :precondition (forall (?r - room) (not (open ?r)))
    :effect (done)))
