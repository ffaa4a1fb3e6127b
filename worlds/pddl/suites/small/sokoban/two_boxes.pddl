; ######
; #@   #
; # $$ #
; # .. #
; #    #
; ######
(define (problem two_boxes)
  (:domain sokoban)
  (:objects
    s11 s12 s13 s14 s21 s22 s23 s24 s31 s32 s33 s34
    s41 s42 s43 s44 - square
    up left right down - direction
    box1 box2 - box)
  (:init
    (person-at s11) (box-at box1 s22) (box-at box2 s23)
    (free s12) (free s13) (free s14) (free s21) (free s24) (free s31) (free s32) (free s33)
    (free s34) (free s41) (free s42) (free s43) (free s44)
    (next s11 s12 right) (next s11 s21 down) (next s12 s11 left) (next s12 s13 right)
    (next s12 s22 down) (next s13 s12 left) (next s13 s14 right) (next s13 s23 down)
    (next s14 s13 left) (next s14 s24 down) (next s21 s11 up) (next s21 s22 right)
    (next s21 s31 down) (next s22 s12 up) (next s22 s21 left) (next s22 s23 right)
    (next s22 s32 down) (next s23 s13 up) (next s23 s22 left) (next s23 s24 right)
    (next s23 s33 down) (next s24 s14 up) (next s24 s23 left) (next s24 s34 down)
    (next s31 s21 up) (next s31 s32 right) (next s31 s41 down) (next s32 s22 up)
    (next s32 s31 left) (next s32 s33 right) (next s32 s42 down) (next s33 s23 up)
    (next s33 s32 left) (next s33 s34 right) (next s33 s43 down) (next s34 s24 up)
    (next s34 s33 left) (next s34 s44 down) (next s41 s31 up) (next s41 s42 right)
    (next s42 s32 up) (next s42 s41 left) (next s42 s43 right) (next s43 s33 up)
    (next s43 s42 left) (next s43 s44 right) (next s44 s34 up) (next s44 s43 left)
    (= (total-cost) 0))
  (:goal (and (box-at box1 s32) (box-at box2 s33)))
  (:metric minimize (total-cost)))
