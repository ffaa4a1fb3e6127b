; The anomaly of Sussman, "A computer model of skill acquisition", 1975.
(define (problem sussman)
  (:domain blocks)
  (:objects a b c)
  (:init (on c a) (on-table a) (on-table b) (clear b) (clear c))
  (:goal (and (on a b) (on b c))))
