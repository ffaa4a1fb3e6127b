(define (problem three-pupils)
  (:domain school)
  (:objects ann bob eve - pupil hall attic - room)
  (:init (open hall) (open attic) (in ann hall))
  (:goal (or
    (and (done) (forall (?p - pupil) (exists (?r - room) (and (in ?p ?r) (tidy ?r)))))
    (forall (?r - room) (tidy ?r)))))
