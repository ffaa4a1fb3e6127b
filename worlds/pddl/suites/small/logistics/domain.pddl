; Trucks drive between the places of a city, planes fly between airports, and both carry parcels.
(define (domain logistics)
  (:requirements :strips :typing)
  (:types vehicle parcel - thing truck plane - vehicle place city - object airport - place)
  (:predicates
    (at ?t - thing ?p - place)
    (inside ?p - parcel ?v - vehicle)
    (part-of ?p - place ?c - city))
  (:action load
    :parameters (?p - parcel ?v - vehicle ?l - place)
    :precondition (and (at ?v ?l) (at ?p ?l))
    :effect (and (inside ?p ?v) (not (at ?p ?l))))
  (:action unload
    :parameters (?p - parcel ?v - vehicle ?l - place)
    :precondition (and (at ?v ?l) (inside ?p ?v))
    :effect (and (at ?p ?l) (not (inside ?p ?v))))
  (:action drive
    :parameters (?t - truck ?from ?to - place ?c - city)
    :precondition (and (at ?t ?from) (part-of ?from ?c) (part-of ?to ?c))
    :effect (and (at ?t ?to) (not (at ?t ?from))))
  (:action fly
    :parameters (?p - plane ?from ?to - airport)
    :precondition (at ?p ?from)
    :effect (and (at ?p ?to) (not (at ?p ?from)))))
