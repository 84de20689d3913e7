// The limits of decision 0013 that hold for every server; those that a setting can change are in config.ts.

export const targetLimitBytes = 8 * 1024

/** All header fields together, in bytes. The parser counts the target as well, so it is given the sum of both. */
export const headersLimitBytes = 16 * 1024

/** All bodies that are still arriving or being inflated. Four bodies of the largest size always fit. */
export const bodiesLimitBytes = 128 * 1024 * 1024

/** The beginning of each body is not counted, so that small bodies are accepted even when that limit is reached. */
export const uncountedBytes = 4 * 1024

/** How much of an unwanted body is read; a connection that sends more is closed. */
export const unwantedLimitBytes = 1024 * 1024

/**
 * How many requests may wait behind others: the parser reads ahead, and each takes memory. A connection with the first number
 * of them is not read for a while. A connection that exceeds the second number, which is for all connections, is closed.
 */
export const queueLimit = 256
export const queueInTotalLimit = 16_384

/** How long a closing connection is still read, so that the last answer arrives. */
export const lingerMs = 2_000

const headersTimeoutMs = 10_000
const requestTimeoutMs = 30_000

/** A connection with no traffic is cut, even if its client has only stopped reading. */
export const silenceTimeoutMs = 30_000

/** How often to look for late requests, so that none is refused long after its time limit. */
const lateCheckMs = 500

/** How long after an answer the next request may take to begin. */
export const keepAliveTimeoutMs = 5_000

export const idleCheckMs = 1_000

/** Simultaneous connections, about ten KiB each; fewer where the system lets a process open fewer files. */
export const connectionsLimit = 16_384

/** File descriptors reserved for everything but connections: the management listener, the database and so on. */
export const keptDescriptors = 512

/** Connections that may wait at one listening socket to be accepted. */
export const waitingConnections = 1_024

export const managementConnectionsLimit = 128

/** The share of all connections that one network may have: a whole company may be behind one IPv4 address. */
export const networkShare = 3 / 4

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
