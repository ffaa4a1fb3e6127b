(define (problem one-parcel)
  (:domain logistics)
  (:objects
    north south - city
    depot shop - place
    north-field south-field - airport
    van cart - truck
    glider - plane
    letter - parcel)
  (:init
    (part-of depot north) (part-of north-field north)
    (part-of shop south) (part-of south-field south)
    (at van north-field) (at cart south-field) (at glider south-field) (at letter depot))
  (:goal (at letter shop)))
