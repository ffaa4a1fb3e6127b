(define (problem three-parcels)
  (:domain logistics)
  (:objects
    north south - city
    depot shop - place
    north-field south-field - airport
    van cart - truck
    glider - plane
    letter book vase - parcel)
  (:init
    (part-of depot north) (part-of north-field north)
    (part-of shop south) (part-of south-field south)
    (at van depot) (at cart south-field) (at glider north-field)
    (at letter depot) (at book depot) (at vase shop))
  (:goal (and (at letter shop) (at book south-field) (at vase north-field))))
