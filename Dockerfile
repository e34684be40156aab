# A small image with the command line: a wheel is built in one stage and installed in another, without compilers or a package index.
FROM python:3.13-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .
COPY constraints.txt ./
RUN python -m venv /tacita \
    && /tacita/bin/pip install --no-cache-dir --no-compile --constraint constraints.txt /wheels/*.whl \
    && /tacita/bin/pip uninstall --yes pip \
    && find /tacita -depth \( -name tests -o -name __pycache__ \) -type d -exec rm -rf {} +

FROM python:3.13-slim
COPY --from=build /tacita /tacita
RUN useradd --create-home owner
USER owner
WORKDIR /data
ENV PATH=/tacita/bin:$PATH PYTHONDONTWRITEBYTECODE=1
ENTRYPOINT ["tacita"]
CMD ["--help"]
