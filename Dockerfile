# What `make run` sets up, as an image. State lives in one volume: data, keys, cache.
FROM debian:12-slim

RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates python3 python3-venv libegl1 libgl1 libgl1-mesa-dri \
 && rm -rf /var/lib/apt/lists/*

WORKDIR /otomo
COPY pyproject.toml requirements.lock README.md LICENSE ./
COPY bot/ bot/
COPY engine/ engine/
COPY render/ render/
COPY config/ config/
RUN python3 bot/install.py && .venv/bin/python -m compileall -q .venv/lib bot engine render && rm -rf /root/.cache

RUN useradd --create-home otomo && mkdir state && chown otomo state
USER otomo
ENV OTOMO_DATA__DIR=/otomo/state/data \
    OTOMO_STORAGE__KEY_FILE=/otomo/state/keys/otomo.key
VOLUME /otomo/state
STOPSIGNAL SIGTERM
CMD [".venv/bin/otomo", "run"]
