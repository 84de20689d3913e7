import { readFileSync } from 'node:fs'
import { consolePage } from '#console/index.ts'
import { Problem } from '#core/problem.ts'
import type { Answer } from '#http/wire/answer.ts'
import { type Exchange, isFromBrowser } from '#http/wire/exchange.ts'
import {
  connectionsLimit,
  managementConnectionsLimit,
  networkShare,
  reservedDescriptors,
} from '#http/wire/limits.ts'
import { type ListenerOptions, listener } from '#http/wire/listener.ts'
import { codeOf, formerPrimary } from '#sql/postgres/errors.ts'
import type { Config } from '#src/config.ts'
import { management } from '#src/management/index.ts'
import type { Access } from './access.ts'
import type { Defences } from './defences.ts'
import type { Servers } from './listening.ts'
import { isCurrent } from './migrations.ts'
import type { Shared } from './shared.ts'

interface ServerParts extends Shared {
  readonly access: Access
  readonly defences: Defences
}

/** One server with the API alone, and one that adds the pages and probes for operators. */
export const openServers = (
  config: Config,
  parts: Omit<ListenerOptions, 'fallback'>,
  { db, resources, metrics, access, defences, tasks }: ServerParts,
): Servers => {
  const { withDiscovery } = access
  const { aroundOthers, checkHost, isProxy } = defences
  const outside = async (exchange: Exchange) => {
    if (isFromBrowser(exchange)) return welcome(config.MANAGEMENT_PORT)
    throw new Problem('forbidden')
  }
  const fallback = aroundOthers(withDiscovery(outside))
  const limitsOf = (maxInTotal: number) => ({
    maxInTotal,
    maxPerNetwork: Math.ceil(maxInTotal * networkShare),
    isProxy,
    onRefused: metrics.connectionRefused,
  })
  const api = listener({
    ...parts,
    connectionLimits: limitsOf(connectionsFor(descriptorLimit(ownLimits()))),
    fallback,
  })
  if (config.MANAGEMENT_PORT === 'off') return { api, management: undefined }
  const reasons = () => reasonsAgainst({ db, resources }, parts.isDraining)
  const readiness = { reasons, failing: tasks.failing }
  const issuer = config.ACCESS === 'oauth' ? config.OAUTH_ISSUER : undefined
  const history = metrics.openHistory()
  const rest = consolePage({ issuer, resources, locale: config.LOCALE })
  return {
    api,
    management: listener({
      ...parts,
      connectionLimits: limitsOf(managementConnectionsLimit),
      fallback: withDiscovery(management({ readiness, checkHost, metrics, history, rest })),
    }),
  }
}

/** The page for a browser on the port of the API: what this service is, and where its console is. */
const welcome = (managementPort: number | 'off'): Answer => ({
  status: 403,
  headers: ['Content-Type', 'text/html; charset=utf-8', 'Cache-Control', 'no-cache', 'Vary', 'Accept'],
  body: `<!doctype html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>Rollcall</title>
<h1>Rollcall</h1>
<p>This is the API of a member registry and todo service. It lies below <code>/api/v1</code>, and describes itself in
<a href="/api/v1/openapi.json">/api/v1/openapi.json</a>.</p>
<p>${managementPort === 'off' ? 'The console and the documentation are switched off here.' : `The console and the documentation are on the management listener, port ${managementPort}, which is usually open to its own machine alone.`}</p>
</html>
`,
})

const reasonsAgainst = async (
  { db, resources }: Pick<Shared, 'db' | 'resources'>,
  isDraining: () => boolean,
): Promise<readonly string[]> => {
  if (isDraining()) return ['draining']
  return db
    .ping()
    .then(() => isCurrent(db, resources))
    .then(
      (isUpToDate) => (isUpToDate ? [] : ['migrations']),
      (error) => [codeOf(error) === formerPrimary ? 'formerPrimary' : 'storage'],
    )
}

/** How many connections the API may hold while leaving room for files, the database and the management listener. */
export const connectionsFor = (descriptors: number) =>
  Math.min(connectionsLimit, Math.max(descriptors - reservedDescriptors, Math.floor(descriptors / 2)))

/** How many files and connections the system lets this process have open at once. */
export const descriptorLimit = (limits: string | undefined): number =>
  Number(/^Max open files\s+(\d+)/m.exec(limits ?? '')?.[1] ?? defaultDescriptors)

/** The limit that Linux reports for this process. Other systems report none. */
const ownLimits = (): string | undefined => {
  try {
    return readFileSync('/proc/self/limits', 'latin1')
  } catch {
    return undefined
  }
}

/** The usual limit of systems that report none. */
const defaultDescriptors = 10_240
