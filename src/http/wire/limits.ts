// The limits of decision 0013 that no setting changes. The others are in config.ts.

export const targetLimitBytes = 8 * 1024

/** All header fields together, in bytes. The limit of the parser also includes the target, so it is the sum of both. */
export const headersLimitBytes = 16 * 1024

/** All bodies that are still arriving or being inflated. Four bodies of the largest size always fit. */
export const bodiesLimitBytes = 128 * 1024 * 1024

/** The first bytes of each body do not count, so that small bodies are accepted even when `bodiesLimitBytes` is reached. */
export const uncountedBytes = 4 * 1024

/** The bytes of an unwanted body that are read; a connection that sends more is closed. */
export const discardLimitBytes = 1024 * 1024

/** The parsed requests that may wait on one connection. If there are more, the connection is not read for a while. */
export const queueLimit = 256

/** The parsed requests that may wait on all connections together. A connection that exceeds this is closed. */
export const totalQueueLimit = 16_384

/** The time for which a closing connection is still read: a reset could cost the client the last answer. */
export const lingerMs = 2_000

const headersTimeoutMs = 10_000
const requestTimeoutMs = 30_000

/** A connection with no traffic is cut, even if its client has only stopped reading. */
export const silenceTimeoutMs = 30_000

/** The period of the search for late requests, so that none is refused long after its time limit. */
const lateRequestCheckMs = 500

/** The time within which the next request must begin after an answer. */
export const keepAliveTimeoutMs = 5_000

export const idleCheckMs = 1_000

/** Simultaneous connections, about ten KiB each; fewer where the system lets a process open fewer files. */
export const connectionsLimit = 16_384

/** File descriptors reserved for everything but connections: the management listener, the database and so on. */
export const reservedDescriptors = 512

/** The connections that may wait at one listening socket until they are accepted. */
export const acceptBacklog = 1_024

export const managementConnectionsLimit = 128

/** The share of all connections that one network may have: a whole company may be behind one IPv4 address. */
export const networkShare = 3 / 4

export const secureLimits = { handshakeTimeout: headersTimeoutMs, ALPNProtocols: ['http/1.1'] }

export const serverLimits = {
  maxHeaderSize: headersLimitBytes + targetLimitBytes,
  headersTimeout: headersTimeoutMs,
  requestTimeout: requestTimeoutMs,
  connectionsCheckingInterval: lateRequestCheckMs,
  keepAliveTimeout: keepAliveTimeoutMs,
  timeout: silenceTimeoutMs,
  requireHostHeader: false,
  insecureHTTPParser: false,
  noDelay: true,
}
