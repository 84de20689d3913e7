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
import { areTablesCurrent } from './migrations.ts'
import type { Shared } from './shared.ts'

interface ServerParts extends Shared {
  readonly access: Access
  readonly defences: Defences
}

/** Creates the server of the API and the management server, which also serves the API, the console and health checks. */
export const openServers = (
  config: Config,
  parts: Omit<ListenerOptions, 'fallback'>,
  { db, resources, metrics, access, defences, tasks }: ServerParts,
): Servers => {
  const { withDiscovery } = access
  const { protectPages, checkHost, isProxy } = defences
  const answerOtherPaths = async (exchange: Exchange) => {
    if (isFromBrowser(exchange)) return welcomePage(config.MANAGEMENT_PORT)
    throw new Problem('forbidden')
  }
  const fallback = protectPages(withDiscovery(answerOtherPaths))
  const limitsOf = (maxInTotal: number) => ({
    maxInTotal,
    maxPerNetwork: Math.ceil(maxInTotal * networkShare),
    isProxy,
    onRefused: metrics.connectionRefused,
  })
  const api = listener({
    ...parts,
    connectionLimits: limitsOf(connectionsFor(descriptorLimit(readProcessLimits()))),
    fallback,
  })
  if (config.MANAGEMENT_PORT === 'off') return { api, management: undefined }
  const reasons = () => unreadyReasons({ db, resources }, parts.isDraining)
  const readiness = { reasons, failing: tasks.failing }
  const issuer = config.ACCESS === 'oauth' ? config.OAUTH_ISSUER : undefined
  const history = metrics.openHistory()
  const otherPages = consolePage({ issuer, resources, locale: config.LOCALE })
  return {
    api,
    management: listener({
      ...parts,
      connectionLimits: limitsOf(managementConnectionsLimit),
      fallback: withDiscovery(management({ readiness, checkHost, metrics, history, otherPages })),
    }),
  }
}

/** The page for browsers on the port of the API. It says what this service is, and where its console is. */
const welcomePage = (managementPort: number | 'off'): Answer => ({
  status: 403,
  headers: ['Content-Type', 'text/html; charset=utf-8', 'Cache-Control', 'no-cache', 'Vary', 'Accept'],
  body: `<!doctype html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>Rollcall</title>
<h1>Rollcall</h1>
<p>This is the API of a member registry and todo service. Its paths begin with <code>/api/v1</code>, and
<a href="/api/v1/openapi.json">/api/v1/openapi.json</a> describes them.</p>
<p>${managementPort === 'off' ? 'The console and the documentation are switched off here.' : `The console and the documentation are on the management listener, port ${managementPort}, which usually accepts only connections from its own machine.`}</p>
</html>
`,
})

const unreadyReasons = async (
  { db, resources }: Pick<Shared, 'db' | 'resources'>,
  isDraining: () => boolean,
): Promise<readonly string[]> => {
  if (isDraining()) return ['draining']
  return db
    .ping()
    .then(() => areTablesCurrent(db, resources))
    .then(
      (isUpToDate) => (isUpToDate ? [] : ['migrations']),
      (error) => [codeOf(error) === formerPrimary ? 'formerPrimary' : 'storage'],
    )
}

/** The most connections of the API that leave descriptors for files, the database and the management listener. */
export const connectionsFor = (descriptors: number) =>
  Math.min(connectionsLimit, Math.max(descriptors - reservedDescriptors, Math.floor(descriptors / 2)))

/** The most files and connections that this process may have open at the same time. */
export const descriptorLimit = (limits: string | undefined): number =>
  Number(/^Max open files\s+(\d+)/m.exec(limits ?? '')?.[1] ?? defaultDescriptors)

/** The limits that Linux reports for this process. Undefined on other systems. */
const readProcessLimits = (): string | undefined => {
  try {
    return readFileSync('/proc/self/limits', 'latin1')
  } catch {
    return undefined
  }
}

/** The usual limit of systems that do not report one. */
const defaultDescriptors = 10_240
