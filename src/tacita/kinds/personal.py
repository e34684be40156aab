"""Personal sequences: one person's long sequence, or many persons', each on its own."""

from __future__ import annotations

from tacita.kinds.options import GRID_OPTIONS, TAXONOMY_OPTIONS, TIMED_READING_OPTIONS, UNIVERSE
from tacita.kinds.registration import Kind, Method, Option, Promise, whole_numbers

__all__ = ["KIND"]

HIDDEN = (
    Option(
        field_name="patterns",
        metavar="FILE",
        help="the public patterns to hide: a file with one per line, labels by commas; or in place, as 'a, b; c, d'",
    ),
    Option(field_name="window", convert=int, metavar="N", help="how far its first and last place may be apart"),
    Option(
        field_name="taxonomy",
        metavar="FILE",
        help="the public tree over the labels: a .csv with a header, columns from fine to coarse; what labels are shown as",
    ),
    Option(
        field_name="bins",
        convert=whole_numbers,
        metavar="WIDTHS",
        help="make a taxonomy of labels that are numbers instead: bins of equal width, such as 10 or 10,100",
    ),
)

PATTERN_HIDING = Method(
    name="pattern-hiding",
    kind="personal",
    loads="tacita.personal:PatternHiding",
    promise=Promise.VERIFIED,
    keeps="every symbol in its place, some of them as groups that they belong to",
    options=(
        Option(
            field_name="bound",
            metavar="BOUND",
            help=(
                "what may be known: 0.3, short for belief=0.3 (where a pattern is), information=0.5 (a share of the entropy), "
                "every-pattern, or a measure of the paper for comparison, printed=0.5 or push-forward=0.5"
            ),
        ),
        *HIDDEN,
        Option(
            field_name="cost",
            choices=("linear", "exponential", "information-loss"),
            help="what showing a label as a group costs: by its height (linear), halved with each step down, or by its size",
        ),
        Option(
            field_name="cost_table",
            metavar="FILE",
            help="costs of your own: a .csv with the columns label, node and cost; pairs that are not there cost as --cost says",
        ),
        Option(
            field_name="algorithm",
            choices=("best", "top-down", "top-down-sensitive", "top-down-leaves", "bottom-up", "optimum"),
            help="which search: the best of all, one of them, or the optimum for up to nine labels",
        ),
        Option(
            field_name="scope",
            choices=("global", "local"),
            help="show a label the same way everywhere (global), or as it is wherever no sensitive pattern can be",
        ),
        Option(
            field_name="infeasible",
            choices=("refuse", "leave-out"),
            help="if nothing keeps the bound for a person: publish nothing (refuse), or leave the person out",
        ),
        Option(field_name="workers", convert=int, metavar="N", help="how many processes share the persons"),
    ),
)

ONLINE_HIDING = Method(
    name="online-hiding",
    kind="personal",
    loads="tacita.personal:OnlineHiding",
    promise=Promise.VERIFIED,
    keeps="what would have been published symbol by symbol; more rows at the end of the file change nothing before them",
    options=(
        Option(
            field_name="belief",
            metavar="SHARE",
            help="how sure one may be, at any moment, of where a pattern is, such as 0.3",
        ),
        *HIDDEN,
        Option(
            field_name="plan",
            metavar="FILE",
            help="as what labels may be shown at the finest: a .csv with the columns label and node; others as they are",
        ),
    ),
)

LONGEST_STAY = Option(
    field_name="longest_stay",
    convert=int,
    metavar="N",
    help="with a time grid, places weigh the intervals that were spent there, and at most N of them",
)

KIND = Kind(
    name="personal",
    noun="personal sequence",
    about="one person's long sequence, or many persons', each on its own; a time grid weighs places by the time spent",
    whole="personal sequences",
    pieces="personal sequences",
    public_options=(UNIVERSE, *TAXONOMY_OPTIONS, *GRID_OPTIONS),
    inputs="tacita.kinds.words:labels_and_times",
    reading_options=(*TIMED_READING_OPTIONS, LONGEST_STAY),
    reading="tacita.personal.records:reading",
    read="tacita.personal:read_for_kind",
    nobody="tacita.personal:nobodys_sequences",
    output_format="tacita.personal.records:output_format",
    observed="tacita.kinds.words:observed_labels",
    opened="tacita.personal:opened_personal",
    checked="tacita.personal.rechecking:verify_release",
    promised="tacita.personal.rechecking:promised",
    reported="tacita.utility.personal:sections",
    judged="tacita.utility.personal:judged",
    drawn="tacita.utility.personal:pictures",
    forecast="tacita.forecasts.personal:forecast_request",
    evaluation="tacita-evaluate-personal-1",
    case="tacita.auditing.cases.verified:PersonalCase",
    worlds=("phones",),
    example=("--method", "pattern-hiding", "--bound", "0.3", "--patterns", "12, 13; 40, 41"),
    methods=(PATTERN_HIDING, ONLINE_HIDING),
)
