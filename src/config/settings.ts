import { isValidTimeZone } from '#core/formats.ts'
import { type Locale, locales } from '#core/locale.ts'
import { maxPageSize } from '#core/page.ts'
import { maxConnections, minConnections } from '#sql/postgres/limits.ts'
import {
  baseUrl,
  choice,
  database,
  duration,
  exactUrl,
  fetchableUrl,
  file,
  files,
  headers,
  host,
  hosts,
  linkUrl,
  onOff,
  origins,
  type Parse,
  password,
  port,
  proxies,
  rate,
  size,
  text,
  time,
  wholeNumber,
} from './forms.ts'

export interface Setting<T> {
  readonly default: string | undefined
  readonly meaning: string
  /** The form of a valid value, for the message about an invalid one. */
  readonly form: string
  readonly isSecret?: boolean
  readonly read: Parse<T>
}

type WithoutDefault<T> = Omit<Setting<T>, 'default'>

/** A setting with a default, written as the user would write it. */
const settingWithDefault = <T>(given: WithoutDefault<T> & { readonly default: string }): Setting<T> => given

const optionalSetting = <T>(setting: WithoutDefault<T>): Setting<T | undefined> => ({
  ...setting,
  default: undefined,
})

const secretSetting = <T>(setting: Setting<T>): Setting<T> => ({ ...setting, isSecret: true })

const linkForm = 'a URL without a user, escaped as RFC 3986 requires'
const plainUrl = 'a URL without a user, query or fragment, escaped as RFC 3986 requires'
const fetchedPort = 'on a port that fetch allows'
const timeForm = 'a date, or a time with Z or an offset'

export const settings = {
  HOST: settingWithDefault({
    default: '127.0.0.1',
    read: host,
    form: 'an address or a host name',
    meaning: 'Where the API listens.',
  }),
  PORT: settingWithDefault({
    default: '8080',
    read: port,
    form: 'a port from 0 to 65535',
    meaning: 'The port of the API.',
  }),
  MANAGEMENT_HOST: settingWithDefault({
    default: '127.0.0.1',
    read: host,
    form: 'an address or a host name',
    meaning: 'Where the management listener listens.',
  }),
  MANAGEMENT_PORT: settingWithDefault({
    default: '8081',
    read: (given) => (given === 'off' ? given : port(given)),
    form: 'a port from 0 to 65535, or off',
    meaning: 'The port of the console, docs, health checks and metrics.',
  }),
  DATABASE_URL: secretSetting(
    settingWithDefault({
      default: 'sqlite:./data/rollcall.db',
      read: database,
      form: 'sqlite:PATH, sqlite::memory: or postgres://…',
      meaning: 'Where the data is stored.',
    }),
  ),
  DATABASE_POOL: settingWithDefault({
    default: '10',
    read: wholeNumber(minConnections, maxConnections),
    form: `a number from ${minConnections} to ${maxConnections}`,
    meaning: 'How many connections to PostgreSQL the service may have.',
  }),
  ACCESS: settingWithDefault({
    default: 'open',
    read: choice('open', 'basic', 'oauth'),
    form: 'open, basic or oauth',
    meaning: 'How callers prove who they are (with open they need not).',
  }),
  ADMIN_SIGN_ID: optionalSetting({
    read: text,
    form: 'a sign id',
    meaning: 'The sign id of the administrator.',
  }),
  ADMIN_PASSWORD: secretSetting(
    optionalSetting({
      read: password,
      form: 'a password of 8 to 128 characters',
      meaning: 'The password of the administrator.',
    }),
  ),
  REFUSED_PASSWORDS: optionalSetting({
    read: file,
    form: 'the name of a file',
    meaning: 'A file of passwords that nobody may choose, one per line.',
  }),
  OAUTH_ISSUER: optionalSetting({
    read: fetchableUrl(exactUrl),
    form: `${plainUrl}, ${fetchedPort}`,
    meaning: 'The issuer whose tokens are accepted.',
  }),
  OAUTH_AUDIENCE: optionalSetting({
    read: text,
    form: 'an audience',
    meaning: 'The audience that a token must name.',
  }),
  OAUTH_JWKS_URL: optionalSetting({
    read: fetchableUrl(linkUrl),
    form: `${linkForm}, ${fetchedPort}`,
    meaning: 'The URL of the keys of the issuer (by default the service discovers it).',
  }),
  TLS_CERT: optionalSetting({
    read: file,
    form: 'the name of a file',
    meaning: 'The certificate chain (PEM), if the service terminates TLS itself.',
  }),
  TLS_KEY: optionalSetting({
    read: file,
    form: 'the name of a file',
    meaning: 'The key (PEM) of the certificate.',
  }),
  PUBLIC_URL: optionalSetting({
    read: baseUrl,
    form: plainUrl,
    meaning: 'The beginning of Location and links (by default taken from the request).',
  }),
  TRUST_PROXY: settingWithDefault({
    default: 'off',
    read: proxies,
    form: 'addresses or networks, or off',
    meaning: 'The proxies whose X-Forwarded-* headers are trusted.',
  }),
  LOCALE: settingWithDefault<Locale>({
    default: 'en',
    read: choice(...locales),
    form: locales.join(' or '),
    meaning: 'The default language.',
  }),
  TIME_ZONE: settingWithDefault({
    default: 'UTC',
    read: (given) => (isValidTimeZone(given) ? given : undefined),
    form: 'UTC, an IANA name or an offset',
    meaning:
      'The time zone of Todo.createdAt, of “today”, of dates in filters, and of times in imported files.',
  }),
  BODY_LIMIT: settingWithDefault({
    default: '1MiB',
    read: size,
    form: 'a size such as 512KiB, at least 1KiB and at most 256MiB',
    meaning: 'The largest request body.',
  }),
  PAGE_SIZE_MAX: settingWithDefault({
    default: '100',
    read: wholeNumber(1, maxPageSize),
    form: `a number from 1 to ${maxPageSize}`,
    meaning: 'The most items on a page.',
  }),
  RATE_LIMIT: settingWithDefault({
    default: 'off',
    read: rate,
    form: 'such as 600/60s, or off',
    meaning: 'How many requests a principal or address may make.',
  }),
  CHANGES_KEEP: settingWithDefault({
    default: '30d',
    read: duration,
    form: 'a time such as 30d, 12h or 90m, or off',
    meaning: 'How long the log of changes is kept (with off for ever).',
  }),
  WEBHOOK_HOSTS: settingWithDefault({
    default: '',
    read: hosts,
    form: 'host names, comma separated, or *',
    meaning: 'The private and loopback hosts that webhooks may call (with * any).',
  }),
  ALLOWED_HOSTS: settingWithDefault({
    default: '',
    read: hosts,
    form: 'host names, comma separated, or *',
    meaning: 'Further host names that are accepted with ACCESS=open on the loopback.',
  }),
  CORS_ORIGINS: settingWithDefault({
    default: '',
    read: origins,
    form: 'origins such as https://app.example.com, comma separated, or *',
    meaning: 'The origins whose pages may call the API from a browser (with * any).',
  }),
  REQUIRE_IF_MATCH: settingWithDefault({
    default: 'off',
    read: onOff,
    form: 'on or off',
    meaning: 'Whether changes to a member must name its version.',
  }),
  API_DEPRECATED: optionalSetting({
    read: time,
    form: timeForm,
    meaning: 'The time from which this version is deprecated.',
  }),
  API_SUNSET: optionalSetting({
    read: time,
    form: timeForm,
    meaning: 'The time at which this version is removed.',
  }),
  API_SUCCESSOR: optionalSetting({ read: linkUrl, form: linkForm, meaning: 'The URL of the next version.' }),
  LOG_LEVEL: settingWithDefault({
    default: 'info',
    read: choice('debug', 'info', 'warn', 'error', 'silent'),
    form: 'debug, info, warn, error or silent',
    meaning: 'The lowest level of log lines that are written.',
  }),
  LOG_FORMAT: settingWithDefault({
    default: 'auto',
    read: choice('auto', 'json', 'pretty'),
    form: 'auto, json or pretty',
    meaning: 'JSON, or lines for people to read.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalSetting({
    read: fetchableUrl(baseUrl),
    form: `${plainUrl}, ${fetchedPort}`,
    meaning: 'The OpenTelemetry collector that traces are sent to.',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: secretSetting(
    optionalSetting({
      read: headers,
      form: 'name=value,…',
      meaning: 'The request headers that the collector requires.',
    }),
  ),
  OTEL_SERVICE_NAME: settingWithDefault({
    default: 'rollcall',
    read: text,
    form: 'a name',
    meaning: 'The service name in the traces.',
  }),
  OTEL_TRACES_SAMPLER_ARG: settingWithDefault({
    default: '1',
    read: (given) => (/^(?:0|1|[01]\.0+|0?\.\d{1,9})$/.test(given) ? Number(given) : undefined),
    form: 'a number from 0 to 1',
    meaning: 'The share of requests that is traced, unless the caller decides.',
  }),
  RESOURCES: settingWithDefault({
    default: '',
    read: files,
    form: 'names of files, comma separated',
    meaning: 'Modules that declare further resources.',
  }),
  SETTINGS_FILE: optionalSetting({
    read: file,
    form: 'the name of a file',
    meaning: 'A file with lines NAME=value; SIGHUP reads LOG_LEVEL from it again.',
  }),
} satisfies Record<string, Setting<unknown>>
