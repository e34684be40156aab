"""How often each value occurs in the columns of UCI Adult (`adult.data`), and the groups it belongs to, from fine to coarse.

The counts are public and printed wherever the data set is described; the groups are ours (see `census`).
"""

from __future__ import annotations

__all__ = [
    "AGES",
    "AGE_QUANTILES",
    "COUNTRIES",
    "EDUCATION",
    "HIGH_INCOME",
    "MARITAL",
    "OCCUPATION",
    "RACE",
    "SEX",
    "WORK_CLASS",
]

Counts = dict[str, tuple[int, tuple[str, ...]]]

AGES = (17, 90)
AGE_QUANTILES = ((17.0, 0.0), (28.0, 0.25), (37.0, 0.5), (48.0, 0.75), (63.0, 0.95), (91.0, 1.0))
HIGH_INCOME = 7_841 / 32_561

SEX: Counts = {"Male": (21_790, ()), "Female": (10_771, ())}

RACE: Counts = {
    "White": (27_816, ()),
    "Black": (3_124, ()),
    "Asian-Pac-Islander": (1_039, ()),
    "Amer-Indian-Eskimo": (311, ()),
    "Other": (271, ()),
}

EDUCATION: Counts = {
    "Preschool": (51, ("Primary", "School")),
    "1st-4th": (168, ("Primary", "School")),
    "5th-6th": (333, ("Primary", "School")),
    "7th-8th": (646, ("Primary", "School")),
    "9th": (514, ("High-school", "School")),
    "10th": (933, ("High-school", "School")),
    "11th": (1_175, ("High-school", "School")),
    "12th": (433, ("High-school", "School")),
    "HS-grad": (10_501, ("High-school", "School")),
    "Some-college": (7_291, ("College", "Higher")),
    "Assoc-voc": (1_382, ("College", "Higher")),
    "Assoc-acdm": (1_067, ("College", "Higher")),
    "Bachelors": (5_355, ("University", "Higher")),
    "Masters": (1_723, ("University", "Higher")),
    "Prof-school": (576, ("University", "Higher")),
    "Doctorate": (413, ("University", "Higher")),
}

MARITAL: Counts = {
    "Never-married": (10_683, ("Alone",)),
    "Divorced": (4_443, ("Alone",)),
    "Separated": (1_025, ("Alone",)),
    "Widowed": (993, ("Alone",)),
    "Married-civ-spouse": (14_976, ("Married",)),
    "Married-spouse-absent": (418, ("Married",)),
    "Married-AF-spouse": (23, ("Married",)),
}

WORK_CLASS: Counts = {
    "Private": (22_696, ("Employed",)),
    "Federal-gov": (960, ("Government",)),
    "Local-gov": (2_093, ("Government",)),
    "State-gov": (1_298, ("Government",)),
    "Self-emp-not-inc": (2_541, ("Self-employed",)),
    "Self-emp-inc": (1_116, ("Self-employed",)),
    "Without-pay": (14, ("Unpaid",)),
    "Never-worked": (7, ("Unpaid",)),
}

OCCUPATION: Counts = {
    "Prof-specialty": (4_140, ("White-collar",)),
    "Exec-managerial": (4_066, ("White-collar",)),
    "Adm-clerical": (3_770, ("White-collar",)),
    "Sales": (3_650, ("White-collar",)),
    "Tech-support": (928, ("White-collar",)),
    "Craft-repair": (4_099, ("Blue-collar",)),
    "Machine-op-inspct": (2_002, ("Blue-collar",)),
    "Transport-moving": (1_597, ("Blue-collar",)),
    "Handlers-cleaners": (1_370, ("Blue-collar",)),
    "Farming-fishing": (994, ("Blue-collar",)),
    "Other-service": (3_295, ("Service",)),
    "Protective-serv": (649, ("Service",)),
    "Priv-house-serv": (149, ("Service",)),
    "Armed-Forces": (9, ("Service",)),
}

COUNTRIES: Counts = {
    "United-States": (29_170, ("North-America",)),
    "Canada": (121, ("North-America",)),
    "Outlying-US(Guam-USVI-etc)": (14, ("North-America",)),
    "Mexico": (643, ("Latin-America",)),
    "Puerto-Rico": (114, ("Latin-America",)),
    "El-Salvador": (106, ("Latin-America",)),
    "Cuba": (95, ("Latin-America",)),
    "Jamaica": (81, ("Latin-America",)),
    "Dominican-Republic": (70, ("Latin-America",)),
    "Guatemala": (64, ("Latin-America",)),
    "Columbia": (59, ("Latin-America",)),
    "Haiti": (44, ("Latin-America",)),
    "Nicaragua": (34, ("Latin-America",)),
    "Peru": (31, ("Latin-America",)),
    "Ecuador": (28, ("Latin-America",)),
    "Trinadad&Tobago": (19, ("Latin-America",)),
    "Honduras": (13, ("Latin-America",)),
    "Germany": (137, ("Europe",)),
    "England": (90, ("Europe",)),
    "Italy": (73, ("Europe",)),
    "Poland": (60, ("Europe",)),
    "Portugal": (37, ("Europe",)),
    "France": (29, ("Europe",)),
    "Greece": (29, ("Europe",)),
    "Ireland": (24, ("Europe",)),
    "Yugoslavia": (16, ("Europe",)),
    "Hungary": (13, ("Europe",)),
    "Scotland": (12, ("Europe",)),
    "Holand-Netherlands": (1, ("Europe",)),
    "Philippines": (198, ("Asia",)),
    "India": (100, ("Asia",)),
    "South": (80, ("Asia",)),
    "China": (75, ("Asia",)),
    "Vietnam": (67, ("Asia",)),
    "Japan": (62, ("Asia",)),
    "Taiwan": (51, ("Asia",)),
    "Iran": (43, ("Asia",)),
    "Hong": (20, ("Asia",)),
    "Cambodia": (19, ("Asia",)),
    "Laos": (18, ("Asia",)),
    "Thailand": (18, ("Asia",)),
}
