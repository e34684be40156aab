"""Trajectories: places with times, one set of pairs per record, with sensitive attributes of the persons."""

from __future__ import annotations

from tacita.kinds.options import GRID_OPTIONS, PLACE_OPTIONS, POINT_OPTIONS, TAXONOMY_OPTIONS, TIMED_READING_OPTIONS
from tacita.kinds.registration import Kind, Method, Option, Promise, texts

__all__ = ["KIND"]

SUPPRESSION = Method(
    name="suppression",
    kind="trajectories",
    loads="tacita.trajectories:Suppression",
    promise=Promise.VERIFIED,
    keeps="true pairs of place and time that enough persons share",
    options=(
        Option(
            field_name="crowd",
            convert=int,
            metavar="K",
            help="at least K persons must share whatever somebody may know",
        ),
        Option(
            field_name="known_pairs",
            convert=int,
            metavar="L",
            help="how many pairs of place and time of a person somebody may know; all of them if not given",
        ),
        Option(
            field_name="sensitive",
            metavar="GROUPS",
            help=(
                "values that must not be inferred, as attribute=value|value<=confidence, several separated by semicolons; "
                "needs --attributes"
            ),
        ),
        Option(
            field_name="strategy",
            choices=("packing", "published", "by-gain", "by-loss", "global"),
            help="records keep what enough others keep (packing), or pairs are removed one by one as published",
        ),
        Option(
            field_name="frequent_support",
            convert=int,
            metavar="N",
            help="keep maximal frequent sequences of at least N records, not instances alone",
        ),
        Option(
            field_name="weights",
            metavar="FILE",
            help="what places are worth: a .csv with the columns label and weight; places that are not there weigh 1",
        ),
        Option(field_name="join_intervals", convert=int, metavar="N", help="join every N intervals of the time grid first"),
        Option(
            field_name="taxonomy",
            metavar="FILE",
            help="the public tree over the places: a .csv with a header, columns from fine to coarse; for coarser places",
            needs="place_depth",
        ),
        Option(
            field_name="place_depth",
            convert=int,
            metavar="N",
            help="replace places by their groups N steps below the root of the taxonomy first",
            needs="taxonomy",
        ),
        Option(
            field_name="accept_minimality",
            switch=True,
            help="accept that with a crowd of 1 a missing set shows that its confidence was too high",
        ),
    ),
)

KIND = Kind(
    name="trajectories",
    noun="trajectory",
    about="places with times and sensitive attributes: a set of pairs per record",
    public_options=(*PLACE_OPTIONS, *TAXONOMY_OPTIONS, *GRID_OPTIONS),
    inputs="tacita.kinds.words:labels_and_times",
    reading_options=(
        *TIMED_READING_OPTIONS,
        *POINT_OPTIONS,
        Option(field_name="attributes", metavar="FILE", help="a table with one row per id: sensitive and other attributes"),
        Option(
            field_name="quasi_identifiers",
            convert=texts,
            metavar="NAMES",
            help="attributes that somebody may know like a pair, with commas between them; all others stay unpublished",
        ),
    ),
    reading="tacita.trajectories.reading:reading_for_kind",
    read="tacita.trajectories:read_for_kind",
    nobody="tacita.trajectories:no_trajectories",
    output_format="tacita.trajectories.reading:output_format",
    opened="tacita.trajectories:opened_trajectories",
    checked="tacita.trajectories.verification:verify_release",
    promised="tacita.trajectories.published:promised",
    reported="tacita.utility.trajectories:sections",
    judged="tacita.utility.trajectories:judged",
    drawn="tacita.utility.trajectories:pictures",
    attacked="tacita.attacks.on_trajectories:on_trajectories",
    lattice="tacita.trajectories.generalization:lattice_for_kind",
    sections={"kept": "what is kept", "before": "linkage risk before", "after": "linkage risk after"},
    forecast="tacita.forecasts.trajectories:forecast_request",
    evaluation="tacita-evaluate-trajectories-1",
    case="tacita.auditing.cases.verified:TrajectoryCase",
    worlds=("city80k", "stm460k"),
    example=(
        "--method",
        "suppression",
        "--crowd",
        "10",
        "--known-pairs",
        "2",
        "--time-start",
        "0",
        "--time-step",
        "1",
        "--time-intervals",
        "48",
    ),
    methods=(SUPPRESSION,),
)
