"""Apache Spark, an extra: the session, and rows that its workers make and write."""

from tacita.io.spark.rows import require_url, rows_on_spark, written_by_spark
from tacita.io.spark.session import passing_on_errors, spark_session

__all__ = ["passing_on_errors", "require_url", "rows_on_spark", "spark_session", "written_by_spark"]
