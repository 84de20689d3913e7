import { maxCredentialLength } from '#access/credential.ts'
import { findUrlFault } from '#sql/postgres/wire/url.ts'
import type { Config } from '#src/config.ts'
import { isLoopback, listeningHosts } from './allowed-hosts.ts'

/** Why settings that are valid one by one contradict each other, in a sentence; `accessGiven` is ACCESS if it was given. */
export const contradictionOf = (config: Config, accessGiven: string | undefined): string | undefined => {
  return (
    findUrlFault(config.DATABASE_URL) ??
    openToOthers(config, accessGiven) ??
    incomplete(config) ??
    samePort(config) ??
    sunsetTooEarly(config)
  )
}

const openToOthers = (config: Config, accessGiven: string | undefined) => {
  if (config.ACCESS !== 'open' || accessGiven !== undefined) return undefined
  const [name, host] = listeningHosts(config).find(([, host]) => !isLoopback(host)) ?? []
  const why = name === undefined ? closingSetting(config) : `${name} ${host} is not loopback`
  if (why === undefined) return undefined
  return `${why} and anybody may enter: set ACCESS to basic or oauth, or to open if you mean it.`
}

/** Settings that make sense only with authentication or remote callers. With one of them, open access is a mistake. */
export const closingSetting = (config: Config) => {
  const isPublic = config.PUBLIC_URL !== undefined && !isLoopback(new URL(config.PUBLIC_URL).hostname)
  if (isPublic) return `PUBLIC_URL ${config.PUBLIC_URL} is not loopback`
  const name = config.TRUST_PROXY.rules.length > 0 ? 'TRUST_PROXY' : closing.find((one) => config[one])
  return name && `${name} is set`
}

const closing = [
  'ADMIN_SIGN_ID',
  'ADMIN_PASSWORD',
  'OAUTH_ISSUER',
  'OAUTH_AUDIENCE',
  'OAUTH_JWKS_URL',
] as const

const incomplete = (config: Config) => {
  const { ACCESS, OAUTH_ISSUER, OAUTH_AUDIENCE, ADMIN_SIGN_ID, ADMIN_PASSWORD } = config
  if (ACCESS === 'oauth' && (OAUTH_ISSUER === undefined || OAUTH_AUDIENCE === undefined))
    return 'ACCESS=oauth needs OAUTH_ISSUER and OAUTH_AUDIENCE.'
  if ((config.TLS_CERT === undefined) !== (config.TLS_KEY === undefined))
    return 'TLS_CERT and TLS_KEY belong together.'
  if ((ADMIN_SIGN_ID === undefined) !== (ADMIN_PASSWORD === undefined))
    return 'ADMIN_SIGN_ID and ADMIN_PASSWORD belong together.'
  if (ACCESS === 'basic' && ADMIN_SIGN_ID?.includes(':'))
    return 'ADMIN_SIGN_ID must be a sign id without a colon: HTTP Basic ends it there.'
  if (ACCESS === 'basic' && `${ADMIN_SIGN_ID}:${ADMIN_PASSWORD}`.length > maxCredentialLength)
    return `ADMIN_SIGN_ID and ADMIN_PASSWORD must have at most ${maxCredentialLength - 1} characters together: a longer login is refused.`
  return undefined
}

const samePort = ({ HOST, PORT, MANAGEMENT_HOST, MANAGEMENT_PORT }: Config) => {
  const isSameHost = HOST === MANAGEMENT_HOST || [HOST, MANAGEMENT_HOST].some(isEveryAddress)
  if (PORT === 0 || PORT !== MANAGEMENT_PORT || !isSameHost) return undefined
  return `PORT and MANAGEMENT_PORT are both ${PORT}: set two different ports, or MANAGEMENT_PORT=off.`
}

const isEveryAddress = (host: string) => host === '0.0.0.0' || host === '::'

/** RFC 9745, 4: nothing is removed before it is deprecated. */
const sunsetTooEarly = ({ API_DEPRECATED, API_SUNSET }: Config) =>
  API_DEPRECATED !== undefined && API_SUNSET !== undefined && API_SUNSET < API_DEPRECATED
    ? 'API_SUNSET must not be earlier than API_DEPRECATED: a version is deprecated before it is removed.'
    : undefined
