// The numbers of decision 0013 that hold for every server; those that a setting changes stand in config.ts.

/** The longest request target, in bytes. */
export const targetLimitBytes = 8 * 1024

/** All header fields together, in bytes. The parser counts the target among them, so it is given both. */
export const headersLimitBytes = 16 * 1024

/** For all bodies together that are still arriving or being inflated; four of the largest always find room. */
export const bodiesLimitBytes = 128 * 1024 * 1024

/** The beginning of each body is not counted, so that small ones get in even when all of that is taken. */
export const uncountedBytes = 4 * 1024

/** How much of an unwanted body is read; a connection that brings more is closed. */
export const unwantedLimitBytes = 1024 * 1024

/** Requests that wait for those before them, on one connection and on all: the parser reads on, and each takes memory. */
export const behindLimit = 256
export const behindInTotalLimit = 16_384

/** How long, and how much, is still read on a connection that is being closed, so that the last answer arrives. */
export const lingerMs = 2_000
export const lingerLimitBytes = 64 * 1024 * 1024

const headersTimeoutMs = 10_000
const requestTimeoutMs = 30_000

/** A connection on which nothing moves is cut, even if its client only stopped reading. */
const silenceTimeoutMs = 30_000

/** How often late requests are looked for: none is told much later than its limit. */
const lateCheckMs = 500

/** How long after an answer the next request may take to begin. */
export const keepAliveTimeoutMs = 5_000

/** How often idle connections are looked for. */
export const idleCheckMs = 1_000

/** Connections at once, about ten KiB each; fewer where the system lets a process open fewer files. */
export const connectionsLimit = 16_384

/** Files that the process may open beside connections: for the management, the database and whatever else. */
export const keptDescriptors = 512

/** Connections that wait at a socket until they are taken in. */
export const waitingConnections = 1_024

export const managementConnectionsLimit = 128

/** The share of all connections that one network may have: a whole company may be behind one IPv4 address. */
export const networkShare = 3 / 4

/** What a server with TLS is given besides. */
export const secureLimits = { handshakeTimeout: headersTimeoutMs, ALPNProtocols: ['http/1.1'] }

export const serverLimits = {
  maxHeaderSize: headersLimitBytes + targetLimitBytes,
  headersTimeout: headersTimeoutMs,
  requestTimeout: requestTimeoutMs,
  connectionsCheckingInterval: lateCheckMs,
  keepAliveTimeout: keepAliveTimeoutMs,
  timeout: silenceTimeoutMs,
  requireHostHeader: false,
  insecureHTTPParser: false,
  noDelay: true,
}
