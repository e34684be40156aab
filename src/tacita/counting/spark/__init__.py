"""Counting on Apache Spark (the extra `tacita[spark]`): blocks of people are rows of a Spark data frame.

Read `ingest` (from rows of events to blocks, with one shuffle) and `asking` (questions to blocks and back); the session is in
`tacita.io.spark`. Only data frames and `mapInArrow` are used, so Spark Connect works as well. Spark is trusted with co-location
alone, and that is checked: each block sorts its own rows and refuses an id that does not hash to it, the driver refuses a block
that answers twice or not at all, and a block that has to be computed again must be the one that it was.

Noise is drawn on the driver. Nothing of Spark is imported before somebody asks for it.
"""

from tacita.counting.spark.ingest import SparkRows, blocks_on_spark, spark_blocks, spark_format
from tacita.io.spark import spark_session

__all__ = ["SparkRows", "blocks_on_spark", "spark_blocks", "spark_format", "spark_session"]
