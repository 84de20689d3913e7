import { consolePage } from '#console/index.ts'
import { onceDone } from '#core/once.ts'
import { Problem } from '#core/problem.ts'
import type { Responder } from '#http/api.ts'
import { managementConnectionsLimit, networkShare } from '#http/limits.ts'
import { type ListenerParts, listener } from '#http/server/listener.ts'
import { resources } from '#resources/index.ts'
import type { Engine } from '#sql/engine.ts'
import type { Config } from '#src/config.ts'
import { management } from '#src/management/index.ts'
import type { Admission } from './admission.ts'
import { connectionsFor, descriptorLimit, ownLimits } from './descriptors.ts'
import type { Ground } from './ground.ts'
import type { Servers } from './listening.ts'
import { isCurrent } from './migrations.ts'

interface ServersGround extends Ground {
  readonly admission: Admission
}

/** The API alone on one, and on the other besides what those who run it look at. */
export const openServers = (
  config: Config,
  parts: Omit<ListenerParts, 'otherwise'>,
  { db, metrics, admission }: ServersGround,
): Servers => {
  const { withDiscovery } = admission.entrance
  const { around, underOwnNames, isProxy } = standing(admission)
  const otherwise = around(withDiscovery(() => Promise.reject(new Problem('forbidden'))))
  const boundsOf = (most: number) => ({
    most,
    mostPerNetwork: Math.ceil(most * networkShare),
    isProxy,
    refused: metrics.connectionRefused,
  })
  const api = listener({
    ...parts,
    bounds: boundsOf(connectionsFor(descriptorLimit(ownLimits()))),
    otherwise,
  })
  if (config.MANAGEMENT_PORT === 'off') return { api, management: undefined }
  const { words, locale } = parts.rules()
  const docs = whenAsked(async () => {
    const { docsPages } = await import('#src/management/docs/index.ts')
    return docsPages({
      words,
      locale,
      explanations: resources.flatMap(({ document }) => document.errors ?? []),
    })
  })
  const readiness = { reasons: () => reasonsAgainst(db, parts.isDraining) }
  const rest = consolePage({ issuer: config.ACCESS === 'oauth' ? config.OAUTH_ISSUER : undefined })
  return {
    api,
    management: listener({
      ...parts,
      bounds: boundsOf(managementConnectionsLimit),
      otherwise: withDiscovery(management({ readiness, underOwnNames, docs, metrics, rest })),
    }),
  }
}

/** What stands around all that is said beside the API: the defences of this moment, which a reload replaces. */
const standing = (admission: Admission) => ({
  around: (respond: Responder): Responder => {
    return (exchange) => admission.defences.aroundOthers(respond)(exchange)
  },
  underOwnNames: (respond: Responder): Responder => {
    return (exchange) => admission.defences.underOwnNames(respond)(exchange)
  },
  isProxy: (address: string) => admission.defences.isProxy(address),
})

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
