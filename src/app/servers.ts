import { consolePage } from '#console/index.ts'
import { Problem } from '#core/problem.ts'
import { isFromBrowser, welcome } from '#http/api/welcome.ts'
import type { Exchange } from '#http/wire/exchange.ts'
import { managementConnectionsLimit, networkShare } from '#http/wire/limits.ts'
import { type ListenerParts, listener } from '#http/wire/listener.ts'
import { allErrors } from '#resources/words.ts'
import type { Engine } from '#sql/engine.ts'
import type { Config } from '#src/config.ts'
import { management } from '#src/management/index.ts'
import type { Defences } from './defences.ts'
import { connectionsFor, descriptorLimit, ownLimits } from './descriptors.ts'
import type { Entrance } from './entrance.ts'
import type { Ground } from './ground.ts'
import type { Servers } from './listening.ts'
import { isCurrent } from './migrations.ts'

interface ServersGround extends Ground {
  readonly entrance: Entrance
  readonly defences: Defences
}

/** One server with the API alone, and one that adds the pages and probes for operators. */
export const openServers = (
  config: Config,
  parts: Omit<ListenerParts, 'otherwise'>,
  { db, metrics, entrance, defences }: ServersGround,
): Servers => {
  const { withDiscovery } = entrance
  const { aroundOthers, underOwnNames, isProxy } = defences
  const outside = async (exchange: Exchange) => {
    if (isFromBrowser(exchange)) return welcome(config.MANAGEMENT_PORT)
    throw new Problem('forbidden')
  }
  const otherwise = aroundOthers(withDiscovery(outside))
  const boundsOf = (max: number) => ({
    max,
    maxPerNetwork: Math.ceil(max * networkShare),
    isProxy,
    refused: metrics.connectionRefused,
  })
  const api = listener({
    ...parts,
    bounds: boundsOf(connectionsFor(descriptorLimit(ownLimits()))),
    otherwise,
  })
  if (config.MANAGEMENT_PORT === 'off') return { api, management: undefined }
  const readiness = { reasons: () => reasonsAgainst(db, parts.isDraining) }
  const issuer = config.ACCESS === 'oauth' ? config.OAUTH_ISSUER : undefined
  const rest = consolePage({ issuer, errors: allErrors, locale: config.LOCALE })
  return {
    api,
    management: listener({
      ...parts,
      bounds: boundsOf(managementConnectionsLimit),
      otherwise: withDiscovery(management({ readiness, underOwnNames, metrics, rest })),
    }),
  }
}

const reasonsAgainst = async (db: Engine, isDraining: () => boolean): Promise<readonly string[]> => {
  if (isDraining()) return ['draining']
  return db
    .ping()
    .then(() => isCurrent(db))
    .then(
      (isUpToDate) => (isUpToDate ? [] : ['migrations']),
      () => ['storage'],
    )
}
