import { onceDone } from '#core/once.ts'
import { Problem } from '#core/problem.ts'
import type { Responder } from '#http/api.ts'
import { managementConnectionsLimit, networkShare } from '#http/limits.ts'
import { type ListenerParts, listener } from '#http/listener.ts'
import { resources } from '#resources/index.ts'
import type { Engine } from '#sql/engine.ts'
import type { Config } from './config.ts'
import { consolePage } from './console/index.ts'
import type { Defences } from './defences.ts'
import { connectionsFor, descriptorLimit } from './descriptors.ts'
import type { Entrance } from './entrance.ts'
import type { Servers } from './listening.ts'
import { management } from './management/index.ts'
import type { Metrics } from './management/metrics.ts'
import { isCurrent } from './migrations.ts'

export interface Watched {
  readonly db: Engine
  readonly metrics: Metrics
  readonly tells: Entrance['tells']
  /** Stands around what the API listener says beside the API. */
  readonly around: Defences['aroundOthers']
  /** Whether many callers come through this address. */
  readonly isProxy: (address: string) => boolean
  /** Stands around what the management listener says beside the API, but for health. */
  readonly named: Defences['named']
}

/** The API alone on one, and on the other besides what those who run it look at. */
export const openServers = (
  config: Config,
  parts: Omit<ListenerParts, 'otherwise'>,
  { db, metrics, tells, around, isProxy, named }: Watched,
): Servers => {
  const otherwise = around(tells(() => Promise.reject(new Problem('forbidden'))))
  const boundsOf = (most: number) => ({
    most,
    mostOfNetwork: Math.ceil(most * networkShare),
    isProxy,
    refused: metrics.connectionRefused,
  })
  const api = listener({ ...parts, bounds: boundsOf(connectionsFor(descriptorLimit())), otherwise })
  if (config.MANAGEMENT_PORT === 'off') return { api, management: undefined }
  const { words, locale } = parts.rules
  const docs = whenAsked(async () => {
    const { docsPages } = await import('./management/docs/index.ts')
    return docsPages({
      words,
      locale,
      explanations: resources.flatMap(({ document }) => document?.errors ?? []),
    })
  })
  const readiness = { reasons: () => reasonsAgainst(db, parts.isDraining) }
  const console = consolePage({ issuer: config.ACCESS === 'oauth' ? config.OAUTH_ISSUER : undefined })
  return {
    api,
    management: listener({
      ...parts,
      bounds: boundsOf(managementConnectionsLimit),
      otherwise: tells(management({ readiness, named, docs, metrics, console })),
    }),
  }
}

/** Made when the first request comes for it. */
const whenAsked = (make: () => Promise<Responder>): Responder => {
  const made = onceDone(make)
  return async (exchange) => (await made())(exchange)
}

const reasonsAgainst = async (db: Engine, isDraining: () => boolean): Promise<readonly string[]> => {
  if (isDraining()) return ['draining']
  return db
    .ping()
    .then(() => isCurrent(db))
    .then(
      (is) => (is ? [] : ['migrations']),
      () => ['storage'],
    )
}
