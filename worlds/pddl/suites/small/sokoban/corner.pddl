; #####
; #@ .#
; #  $#
; #  ##
; #####
(define (problem corner)
  (:domain sokoban)
  (:objects
    s11 s12 s13 s21 s22 s23 s31 s32 - square
    up left right down - direction
    box1 - box)
  (:init
    (person-at s11) (box-at box1 s23)
    (free s12) (free s13) (free s21) (free s22) (free s31) (free s32)
    (next s11 s12 right) (next s11 s21 down) (next s12 s11 left) (next s12 s13 right)
    (next s12 s22 down) (next s13 s12 left) (next s13 s23 down) (next s21 s11 up)
    (next s21 s22 right) (next s21 s31 down) (next s22 s12 up) (next s22 s21 left)
    (next s22 s23 right) (next s22 s32 down) (next s23 s13 up) (next s23 s22 left)
    (next s31 s21 up) (next s31 s32 right) (next s32 s22 up) (next s32 s31 left)
    (= (total-cost) 0))
  (:goal (and (box-at box1 s13)))
  (:metric minimize (total-cost)))
