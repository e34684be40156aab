"""Tables: one row per person, with quasi-identifiers that others may know and sensitive columns."""

from __future__ import annotations

from tacita.kinds.options import ENGINE, READING_OPTIONS
from tacita.kinds.registration import Kind, Method, Option, Promise

__all__ = ["KIND"]

MODELS = Option(
    field_name="models",
    metavar="MODELS",
    help=(
        "what every group of rows that look alike must satisfy, with commas between: k=K, l=L, entropy-l=L, recursive=C:L, "
        "alpha=A:K, t=T, confidence=BOUND, confidence=VALUE:BOUND"
    ),
)

MONDRIAN = Method(
    name="mondrian",
    kind="tables",
    loads="tacita.tables:Mondrian",
    promise=Promise.VERIFIED,
    keeps="every row, each with a range of every quasi-identifier",
    options=(MODELS,),
)

FULL_DOMAIN = Method(
    name="full-domain",
    kind="tables",
    loads="tacita.tables:FullDomain",
    promise=Promise.VERIFIED,
    keeps="most rows, every column at one level of its tree",
    options=(
        MODELS,
        Option(field_name="suppression", metavar="SHARE", help="the largest share of rows that may be left out"),
    ),
)

CELL_SUPPRESSION = Method(
    name="cell-suppression",
    kind="tables",
    loads="tacita.tables:CellSuppression",
    promise=Promise.VERIFIED,
    keeps="most values as they are; single ones are hidden",
    options=(MODELS,),
)

BUCKETIZE = Method(
    name="bucketize",
    kind="tables",
    loads="tacita.tables:Bucketize",
    promise=Promise.VERIFIED,
    keeps="all quasi-identifiers as they are, and sensitive values up to a bucket",
    options=(Option(field_name="l", convert=int, metavar="L", help="how many different sensitive values a bucket has at least"),),
)

MARGINALS = Method(
    name="marginals",
    has_gaussian=True,
    kind="tables",
    loads="tacita.tables:Marginals",
    audited="tacita.auditing.cases.tables:NoisyMarginals",
    keeps="synthetic rows with typed values, whose single columns, pairs and small groups of columns are like those of the table",
    options=(
        Option(
            field_name="target", metavar="COLUMN", help="a column that is linked to others first, such as what is to be predicted"
        ),
    ),
)

INDEPENDENT = Method(
    name="independent",
    has_gaussian=True,
    kind="tables",
    loads="tacita.tables:Independent",
    audited="tacita.auditing.cases.tables:SingleColumns",
    keeps="how often each value of each column occurs, and nothing of how columns depend on each other",
)

TOP_DOWN = Method(
    name="top-down",
    kind="tables",
    loads="tacita.tables:TopDown",
    audited="tacita.auditing.cases.tables:TopDowns",
    keeps="how many rows fall into ranges that are chosen privately",
    options=(
        Option(field_name="splits", convert=int, metavar="N", help="how many times a range of a column is cut in two"),
        Option(field_name="share", metavar="SHARE", help="the share of the budget that choosing the cuts gets"),
        Option(
            field_name="score",
            choices=("skew", "balance", "gain"),
            help="what a good cut is: rows that an even spread misplaces (skew), rows on the smaller side, or classes separated",
        ),
    ),
)

KIND = Kind(
    name="tables",
    noun="row",
    about="a table with one row per person",
    whole="a table",
    pieces="rows",
    records_have_lengths=False,
    public_options=(
        Option(
            field_name="columns",
            metavar="FILE",
            help="the columns, declared as JSON; or as [columns.NAME] in tacita.toml",
        ),
    ),
    inputs="tacita.tables.records:columns",
    reading_options=(*(option for option in READING_OPTIONS if option.field_name not in {"label", "record"}), ENGINE),
    reading="tacita.tables.records:reading",
    read="tacita.tables:read_for_kind",
    nobody="tacita.tables:no_table",
    output_format="tacita.tables.records:output_format",
    opened="tacita.tables:opened_table",
    checked="tacita.tables.verifying:verify_release",
    promised="tacita.tables.guarantee:promised",
    reported="tacita.utility.tables:sections",
    answered="tacita.tables.answers:TableAnswers",
    judged="tacita.utility.tables:judged",
    drawn="tacita.utility.tables:pictures",
    tasks="tacita.utility.tasks:on_tables",
    forecast="tacita.forecasts.tables:forecast_request",
    evaluation="tacita-evaluate-tables-1",
    attacked="tacita.attacks.commands:on_tables",
    case="tacita.auditing.cases.tables:TableCase",
    worlds=("census",),
    example=("--method", "mondrian", "--models", "k=10"),
    methods=(MONDRIAN, FULL_DOMAIN, CELL_SUPPRESSION, BUCKETIZE, MARGINALS, INDEPENDENT, TOP_DOWN),
)
