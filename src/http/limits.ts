// The numbers of decision 0013 that hold for every server; those that a setting changes stand in config.ts.

/** The longest request target, in bytes. */
export const targetLimitBytes = 8 * 1024

/** All header fields together, in bytes. The parser counts the target among them, so it is given both. */
export const headersLimitBytes = 16 * 1024

/** Of bodies that are still coming, or are being inflated, all together; four of the largest find room in any case. */
export const bodiesLimitBytes = 128 * 1024 * 1024

/** The beginning of each is not counted, so that who holds all of that keeps no small body out. */
export const uncountedBytes = 4 * 1024

/** Of a body that nobody wants; a connection that brings more is closed. */
export const unwantedLimitBytes = 1024 * 1024

/** Requests that wait for those before them, on one connection and on all: the parser reads on, and keeps each. */
export const behindLimit = 256
export const behindInAllLimit = 16_384

/** How long, and how much, is still read on a connection that is being closed, so that the last answer arrives. */
export const lingerMs = 2_000
export const lingerLimitBytes = 64 * 1024 * 1024

const headersTimeoutMs = 10_000
const requestTimeoutMs = 30_000

/** A connection on which nothing moves is cut, also when it is a reader that stopped reading. */
const silenceTimeoutMs = 30_000

/** How often late requests are looked for: none is told much later than its limit. */
const lateCheckMs = 500

/** For the next request after an answer. */
export const keepAliveTimeoutMs = 5_000

/** How often connections are looked for on which none comes. */
export const idleCheckMs = 1_000

/** Connections at once: ten kibibytes or so each, and files enough where the system lets a process open so many. */
export const connectionsLimit = 16_384

/** Of files and connections of the process; kept for the management, the database and whatever else is opened. */
export const keptDescriptors = 512

/** Connections that wait at a socket until they are taken in. */
export const waitingConnections = 1_024

export const managementConnectionsLimit = 128

/** Of all connections, those that one network may have; behind an address of IPv4 may be a whole company. */
export const networkShare = 3 / 4

/** What a server with TLS has besides. */
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
