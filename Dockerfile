# syntax=docker/dockerfile:1

# Everything the build needs; the final image takes only its results.
FROM node:26-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts && npm rebuild esbuild
COPY . .
# --build-arg COMMIT=$(git rev-parse --short=12 HEAD): the clone's own history is not copied.
ARG COMMIT=
RUN node scripts/build.ts && npm prune --omit=dev --ignore-scripts

FROM node:26-bookworm-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    MANAGEMENT_HOST=0.0.0.0
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist/lib ./dist/lib
RUN ln -s /app/dist/lib/main.js /usr/local/bin/rollcall && install -d -o node -g node -m 0700 /data
# Here the default of DATABASE_URL, ./data/rollcall.db, is on the volume. Set in the environment, it would override a settings file.
WORKDIR /
USER node
VOLUME /data
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
# Liveness, not readiness: a service that is draining or waiting for its database must not be killed for it. The command reads the
# same environment as the service: port, TLS and whether there is a management listener.
HEALTHCHECK --interval=10s --timeout=3s --start-period=1h --retries=3 \
  CMD ["node", "/app/dist/lib/main.js", "health"]
ENTRYPOINT ["node", "--max-semi-space-size=16", "/app/dist/lib/main.js"]
CMD ["serve"]
