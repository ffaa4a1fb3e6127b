(define (problem dinner)
  (:domain kitchen)
  (:objects soup tea rice sauce - pot large small tiny - stove)
  (:init
    (away soup) (away tea) (away rice) (free large) (free small) (on sauce tiny)
    (= (heating large) 5) (= (heating small) 9) (= (heating tiny) 1) (= (total-cost) 0))
  (:goal (and (cooked soup) (cooked tea) (cooked rice) (cooked sauce) (not (hot small))))
  (:metric minimize (total-cost)))
