import { maxCredentialLength } from '#access/credential.ts'
import { findUrlFault } from '#sql/postgres/wire/url.ts'
import type { Config } from '#src/config.ts'
import { isLoopback, listeningHosts } from './allowed-hosts.ts'

/** A sentence about valid settings that contradict each other. `explicitAccess` is the value of ACCESS, if it was set explicitly. */
export const contradictionOf = (config: Config, explicitAccess: string | undefined): string | undefined =>
  findUrlFault(config.DATABASE_URL) ??
  unintendedOpenAccess(config, explicitAccess) ??
  incompleteSettings(config) ??
  samePort(config) ??
  earlySunset(config)

const unintendedOpenAccess = (config: Config, explicitAccess: string | undefined) => {
  if (config.ACCESS !== 'open' || explicitAccess !== undefined) return undefined
  const [name, host] = listeningHosts(config).find(([, host]) => !isLoopback(host)) ?? []
  const why = name === undefined ? settingAgainstOpenAccess(config) : `${name} ${host} is not loopback`
  if (why === undefined) return undefined
  return `${why}, but callers need no credentials: set ACCESS to basic or oauth, or to open if you mean it.`
}

/** The setting that makes sense only with authentication or remote callers, so that open access is a mistake. */
export const settingAgainstOpenAccess = (config: Config) => {
  const isPublic = config.PUBLIC_URL !== undefined && !isLoopback(new URL(config.PUBLIC_URL).hostname)
  if (isPublic) return `PUBLIC_URL ${config.PUBLIC_URL} is not loopback`
  const name =
    config.TRUST_PROXY.rules.length > 0 ? 'TRUST_PROXY' : settingsForClosedAccess.find((one) => config[one])
  return name && `${name} is set`
}

const settingsForClosedAccess = [
  'ADMIN_SIGN_ID',
  'ADMIN_PASSWORD',
  'OAUTH_ISSUER',
  'OAUTH_AUDIENCE',
  'OAUTH_JWKS_URL',
] as const

const incompleteSettings = (config: Config) => {
  const { ACCESS, OAUTH_ISSUER, OAUTH_AUDIENCE, ADMIN_SIGN_ID, ADMIN_PASSWORD } = config
  if (ACCESS === 'oauth' && (OAUTH_ISSUER === undefined || OAUTH_AUDIENCE === undefined))
    return 'ACCESS=oauth needs OAUTH_ISSUER and OAUTH_AUDIENCE.'
  if ((config.TLS_CERT === undefined) !== (config.TLS_KEY === undefined))
    return 'TLS_CERT and TLS_KEY belong together.'
  if ((ADMIN_SIGN_ID === undefined) !== (ADMIN_PASSWORD === undefined))
    return 'ADMIN_SIGN_ID and ADMIN_PASSWORD belong together.'
  if (ACCESS === 'basic' && ADMIN_SIGN_ID?.includes(':'))
    return 'ADMIN_SIGN_ID must be a sign id without a colon: in HTTP Basic, the sign id ends at the first colon.'
  if (ACCESS === 'basic' && `${ADMIN_SIGN_ID}:${ADMIN_PASSWORD}`.length > maxCredentialLength)
    return `ADMIN_SIGN_ID and ADMIN_PASSWORD must have at most ${maxCredentialLength - 1} characters together: longer credentials are refused.`
  return undefined
}

const samePort = ({ HOST, PORT, MANAGEMENT_HOST, MANAGEMENT_PORT }: Config) => {
  const isSameHost = HOST === MANAGEMENT_HOST || [HOST, MANAGEMENT_HOST].some(isEveryAddress)
  if (PORT === 0 || PORT !== MANAGEMENT_PORT || !isSameHost) return undefined
  return `PORT and MANAGEMENT_PORT are both ${PORT}: set two different ports, or MANAGEMENT_PORT=off.`
}

const isEveryAddress = (host: string) => host === '0.0.0.0' || host === '::'

/** A version must not be removed before it is deprecated (RFC 9745, 4). */
const earlySunset = ({ API_DEPRECATED, API_SUNSET }: Config) =>
  API_DEPRECATED !== undefined && API_SUNSET !== undefined && API_SUNSET < API_DEPRECATED
    ? 'API_SUNSET must not be earlier than API_DEPRECATED: a version is deprecated before it is removed.'
    : undefined
