import { isValidTimeZone } from '#core/formats.ts'
import { type Locale, locales } from '#core/locale.ts'
import { mostPageSize } from '#core/page.ts'
import {
  baseUrl,
  choice,
  database,
  exactUrl,
  fetched,
  file,
  headers,
  hosts,
  linkUrl,
  onOff,
  origins,
  port,
  proxies,
  type Read,
  rate,
  size,
  text,
  time,
  wholeNumber,
} from './config-forms.ts'
import { contradictionOf } from './contradictions.ts'
import { nearestName } from './nearest-name.ts'

/** A setting that is wrong, or not one. The message names it. */
export class SettingError extends Error {}

interface Setting<T> {
  readonly default: string | undefined
  readonly meaning: string
  /** What a right value looks like, for the one who gave a wrong one. */
  readonly form: string
  readonly isSecret?: boolean
  readonly read: Read<T>
}

const setting = <T>(fallback: string, read: Read<T>, form: string, meaning: string): Setting<T> => ({
  default: fallback,
  read,
  form,
  meaning,
})

const optional = <T>(read: Read<T>, form: string, meaning: string): Setting<T | undefined> => ({
  default: undefined,
  read,
  form,
  meaning,
})

const secret = <T>(setting: Setting<T>): Setting<T> => ({ ...setting, isSecret: true })

const linkForm = 'a URL without a user, escaped as RFC 3986 has it'
const plainUrl = 'a URL without user, query and fragment, escaped as RFC 3986 has it'
const askedPort = 'on a port that fetch asks'
const aTime = 'a date, or a time with Z or an offset'

export const settings = {
  HOST: setting('127.0.0.1', text, 'an address or a host name', 'Where the API listens.'),
  PORT: setting('8080', port, 'a port from 0 to 65535', 'The port of the API.'),
  MANAGEMENT_HOST: setting('127.0.0.1', text, 'an address or a host name', 'Where the management listens.'),
  MANAGEMENT_PORT: setting(
    '8081',
    (given) => (given === 'off' ? given : port(given)),
    'a port from 0 to 65535, or off',
    'The port of console, docs, health and metrics.',
  ),
  DATABASE_URL: secret(
    setting(
      'sqlite:./data/rollcall.db',
      database,
      'sqlite:PATH, sqlite::memory: or postgres://…, without control characters',
      'Where the data lies.',
    ),
  ),
  ACCESS: setting('open', choice('open', 'basic', 'oauth'), 'open, basic or oauth', 'Who may enter.'),
  ADMIN_SIGN_ID: optional(text, 'a sign id without control characters', 'The administrator of basic access.'),
  ADMIN_PASSWORD: secret(
    optional(text, 'a password without control characters', "The administrator's password."),
  ),
  REFUSED_PASSWORDS: optional(file, 'a file', 'A file of passwords that nobody may choose, one a line.'),
  OAUTH_ISSUER: optional(
    fetched(exactUrl),
    `${plainUrl}, ${askedPort}`,
    'The issuer whose tokens are accepted.',
  ),
  OAUTH_AUDIENCE: optional(text, 'a text without control characters', 'The audience that a token must name.'),
  OAUTH_JWKS_URL: optional(
    fetched(linkUrl),
    `${linkForm}, ${askedPort}`,
    "The issuer's keys, where they are not discovered.",
  ),
  TLS_CERT: optional(file, 'a file', 'The certificate chain (PEM), where the service itself ends TLS.'),
  TLS_KEY: optional(file, 'a file', 'The key (PEM) of the certificate.'),
  PUBLIC_URL: optional(baseUrl, plainUrl, 'The base of Location and links; from the request if not set.'),
  TRUST_PROXY: setting('off', proxies, 'addresses or networks, or off', 'Whose X-Forwarded-* is believed.'),
  LOCALE: setting<Locale>('en', choice(...locales), locales.join(' or '), 'The default language.'),
  TIME_ZONE: setting(
    'UTC',
    (given) => (isValidTimeZone(given) ? given : undefined),
    'UTC, an IANA name or an offset',
    'The offset of Todo.createdAt, what today is, and where a date in a filter begins.',
  ),
  BODY_LIMIT: setting(
    '1MiB',
    size,
    'a size such as 512KiB, at most 256MiB',
    'The largest body of a request.',
  ),
  PAGE_SIZE_MAX: setting(
    '100',
    wholeNumber(1, mostPageSize),
    `a number from 1 to ${mostPageSize}`,
    'The most items of a page.',
  ),
  RATE_LIMIT: setting(
    'off',
    rate,
    'such as 600/60s, or off',
    'How many requests a principal or address may make.',
  ),
  ALLOWED_HOSTS: setting(
    '',
    hosts,
    'host names, comma separated, or *',
    'Beside its own, the names that open access on the loopback answers to.',
  ),
  CORS_ORIGINS: setting(
    '',
    origins,
    'origins such as https://app.example.com, comma separated, or *',
    'Whose pages may call the API from a browser; * for any.',
  ),
  REQUIRE_IF_MATCH: setting('off', onOff, 'on or off', 'Whether changes of a member must name its version.'),
  API_DEPRECATED: optional(time, aTime, 'Since when this version is deprecated.'),
  API_SUNSET: optional(time, aTime, 'When this version goes.'),
  API_SUCCESSOR: optional(linkUrl, linkForm, 'The version that follows.'),
  LOG_LEVEL: setting(
    'info',
    choice('debug', 'info', 'warn', 'error', 'silent'),
    'debug, info, warn, error or silent',
    'What is logged.',
  ),
  LOG_FORMAT: setting(
    'auto',
    choice('auto', 'json', 'pretty'),
    'auto, json or pretty',
    'JSON, or lines for people.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    fetched(baseUrl),
    `${plainUrl}, ${askedPort}`,
    'The OpenTelemetry collector that traces are sent to.',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: secret(
    optional(headers, 'name=value,…', 'What the collector wants in the head.'),
  ),
  OTEL_SERVICE_NAME: setting('rollcall', text, 'a name', 'Who the traces say they are of.'),
  SETTINGS_FILE: optional(file, 'a file', 'A file of NAME=value lines, read again at SIGHUP.'),
} satisfies Record<string, Setting<unknown>>

export type SettingName = keyof typeof settings

type Given<S> = S extends Setting<infer T> ? T : never

export type Config = { readonly [K in SettingName]: Given<(typeof settings)[K]> }

/** Where the value of a setting came from. */
export type Source = 'flag' | 'environment' | 'file' | 'default'

export type Texts = Readonly<Record<string, string | undefined>>

/** Families of names that are ours alone: one that we do not know is a mistake. */
const ourPrefixes = /^(MANAGEMENT|OAUTH|ADMIN_SIGN|ADMIN_PASS|CORS|API)_/

/** What was given, from the strongest to the weakest. */
export interface GivenSettings {
  readonly flags: Texts
  readonly environment: Texts
  readonly file: Texts
}

const isSetting = (name: string) => Object.hasOwn(settings, name)

/** The settings, by what a settings file says where nothing stronger does. Every name in the file is meant for us. */
export const readGiven = ({ flags, environment, file }: GivenSettings): Config => {
  const stranger = Object.keys(file).find((name) => !isSetting(name) || name === 'SETTINGS_FILE')
  if (stranger !== undefined) throw new SettingError(`There is no setting ${stranger} in a settings file.`)
  return readConfig({ ...file, ...environment }, flags)
}

export const readConfig = (environment: Texts, flags: Texts = {}): Config => {
  for (const name of Object.keys(environment)) if (!isSetting(name)) requireForeign(name)
  const entries = Object.entries(settings).map(([name, setting]) => {
    const given = flags[name] ?? environment[name] ?? setting.default
    return [name, given === undefined ? undefined : readSetting(name, setting, given)]
  })
  const config = Object.fromEntries(entries) as Config
  const contradiction = contradictionOf(config, flags.ACCESS ?? environment.ACCESS)
  if (contradiction !== undefined) throw new SettingError(contradiction)
  return config
}

/** A setting that was misspelt would be silently left out, and might have closed a door. */
const requireForeign = (name: string) => {
  const meant = nearestName(name, Object.keys(settings))
  if (meant !== undefined) throw new SettingError(`There is no setting ${name}. Is ${meant} meant?`)
  if (ourPrefixes.test(name)) throw new SettingError(`There is no setting ${name}.`)
}

export const sourceOf = (name: SettingName, { flags, environment, file }: GivenSettings): Source => {
  if (flags[name] !== undefined) return 'flag'
  if (environment[name] !== undefined) return 'environment'
  return file[name] === undefined ? 'default' : 'file'
}

/** The text of a setting as it is in force; undefined if it has none. */
export const textOf = (name: SettingName, { flags, environment, file }: GivenSettings): string | undefined =>
  flags[name] ?? environment[name] ?? file[name] ?? settings[name].default

const readSetting = (name: string, { read, form, isSecret }: Setting<unknown>, given: string) => {
  const value = read(given)
  if (value !== undefined) return value
  throw new SettingError(
    `${name} must be ${form}${isSecret || mayBeSecret.test(given) ? '' : `, not ${JSON.stringify(given)}`}.`,
  )
}

/** A URL with a user, or the file itself in the place of its name: what is wrong is not repeated. */
const mayBeSecret = /@|[\r\n]|-----BEGIN/
