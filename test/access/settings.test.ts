import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusedPorts } from '#src/config/forms.ts'
import { settings } from '#src/config/settings.ts'
import { nearestName, readConfig, readEmbedded, SettingError } from '#src/config.ts'

const open = { ACCESS: 'open' }

const urls = ['OAUTH_ISSUER', 'OAUTH_JWKS_URL', 'PUBLIC_URL', 'API_SUCCESSOR', 'OTEL_EXPORTER_OTLP_ENDPOINT']

/** The message that refuses settings. */
const refusal = (given: Record<string, string>): string => {
  try {
    readConfig(given)
  } catch (error) {
    if (error instanceof SettingError) return error.message
    throw error
  }
  return assert.fail(`accepted: ${JSON.stringify(given)}`)
}

test('a URL with a user is refused without repeating its secret', () => {
  for (const name of urls) {
    for (const url of [
      'https://u:SECRET@pub.example',
      'https:u:SECRET@pub.example',
      '//u:SECRET@pub.example',
    ]) {
      const message = refusal({ [name]: url })
      assert.match(message, new RegExp(`^${name} must be a URL without`), url)
      assert.doesNotMatch(message, /SECRET/)
    }
    const plain = 'https://pub.example/a@b'
    assert.deepEqual({ ...readConfig({ ...open, [name]: plain }) }, { ...readConfig(open), [name]: plain })
  }
})

test('a base URL with a query, a fragment, a broken escape or a character that headers cannot carry is refused', () => {
  for (const name of ['OAUTH_ISSUER', 'PUBLIC_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT'])
    for (const url of ['https://pub.example/a?b', 'https://pub.example/a#c', 'https://pub.example?'])
      assert.match(refusal({ [name]: url }), /without a user, query or fragment/)
  for (const name of urls)
    for (const url of [
      'https://pub.example/é',
      'https://pub.example/ a',
      'https://pub.example/%zz',
      'https://',
      ...[...'\x01\x08\x0e\x1f\x7f{}|^`"<>\\'].map((character) => `https://pub.example/${character}a`),
    ])
      assert.match(refusal({ [name]: url }), new RegExp(name), url)
  const everyCharacter = "https://pub.example:8080/AZaz09-._~:@!$&'()*+,;=%7B/[]?/?#?"
  assert.equal(readConfig({ API_SUCCESSOR: everyCharacter }).API_SUCCESSOR, everyCharacter)
  const keys = 'https://issuer.example/keys?policy=p'
  assert.equal(readConfig({ ...open, OAUTH_JWKS_URL: keys }).OAUTH_JWKS_URL, keys)
})

test('a URL that the service fetches must not have a port that fetch refuses', async () => {
  for (const port of refusedPorts) {
    const url = `http://127.0.0.1:${port}`
    await assert.rejects(fetch(url), ({ cause }) => cause.message === 'bad port', port)
    for (const name of ['OAUTH_ISSUER', 'OAUTH_JWKS_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT'])
      assert.match(
        refusal({ [name]: url }),
        new RegExp(`^${name} .* on a port that fetch allows, not "${url}"`),
      )
    assert.equal(readConfig({ ...open, PUBLIC_URL: url }).PUBLIC_URL, url)
  }
})

test('a setting that names a file refuses the content of one, and the message does not show it', () => {
  for (const name of ['TLS_CERT', 'TLS_KEY', 'REFUSED_PASSWORDS', 'SETTINGS_FILE'])
    for (const key of [
      '-----BEGIN PRIVATE KEY-----\nSECRET\n-----END PRIVATE KEY-----',
      '-----BEGIN PRIVATE KEY-----\\nSECRET',
      'SECRET\n',
    ])
      assert.match(
        refusal({ [name]: key }),
        new RegExp(`^${name} must be the name of a file(, without control characters)?\\.$`),
      )
})

test('a text with a control character is refused without repeating a secret', () => {
  const names = ['HOST', 'ADMIN_SIGN_ID', 'ADMIN_PASSWORD', 'OAUTH_AUDIENCE', 'OTEL_SERVICE_NAME']
  for (const character of '\n\r\t\0\x1b\x7f\x85')
    for (const name of names) {
      const message = refusal({ [name]: `SECRET${character}` })
      assert.match(message, new RegExp(`^${name} must be an? `))
      if (name === 'ADMIN_PASSWORD')
        assert.equal(
          message,
          'ADMIN_PASSWORD must be a password of 8 to 128 characters, without control characters.',
        )
    }
  for (const url of ['sqlite:SECRET\n', 'postgres://u:SECRET@db/rollcall\n', 'postgres://u:SEC\nRET@db'])
    assert.match(
      refusal({ DATABASE_URL: url }),
      /^DATABASE_URL must be sqlite:[^\n]*without control characters\.$/,
    )
})

test('if the value of a setting lacks only http://, the refusal suggests the value with http://', () => {
  for (const [name, given] of [
    ['PUBLIC_URL', 'roll.example.com'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['CORS_ORIGINS', 'app.example.com'],
  ] as const)
    assert.match(
      refusal({ ...open, [name]: given }),
      new RegExp(`, not "${given}"\\. Is http://${given} meant\\?$`),
    )
  assert.doesNotMatch(refusal({ PUBLIC_URL: 'u:SECRET@roll' }), /meant/)
})

test('an unknown setting of an embedding program is refused with the name that was probably meant', () => {
  for (const [given, meant] of [
    ['databaseUrl', 'DATABASE_URL'],
    ['DATABASE', 'DATABASE_URL'],
    ['PROT', 'PORT'],
    ['port', 'PORT'],
  ] as const)
    assert.throws(() => readEmbedded({ [given]: 'x' }, {}), {
      message: `There is no setting ${given} in a program. Is ${meant} meant?`,
    })
})

test('a variable one typo away from a setting is refused; unrelated variables are not', () => {
  for (const [given, meant] of [
    ['ACESS', 'ACCESS'],
    ['RATE_LIMITS', 'RATE_LIMIT'],
    ['REFUSED_PASWORDS', 'REFUSED_PASSWORDS'],
    ['TIMEZONE', 'TIME_ZONE'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['OAUTH_ISUER', 'OAUTH_ISSUER'],
    ['API_DEPRECATE', 'API_DEPRECATED'],
    ['LOCLAE', 'LOCALE'],
  ] as const)
    assert.equal(
      refusal({ [given]: 'x' }),
      `There is no setting ${given}, which is in the environment. Is ${meant} meant?`,
    )
  const foreign = {
    API_KEY: 'x',
    API_URL: 'x',
    API_PORT: 'x',
    TZ: 'x',
    POST: 'x',
    HOSTS: 'x',
    HOSTNAME: 'x',
    LANG: 'x',
    TLS_CERTIFICATE: 'x',
    OTEL_SDK_DISABLED: 'x',
  }
  assert.deepEqual(readConfig(foreign), readConfig({}))
  for (const name of Object.keys(settings)) assert.equal(nearestName(name, Object.keys(settings)), undefined)
})

test('a value that could never take effect is refused without repeating a secret', () => {
  const table: readonly (readonly [Record<string, string>, RegExp])[] = [
    [{ API_SUNSET: '2026-02-30' }, /^API_SUNSET must be a date, or [^"]*, not "2026-02-30"\.$/],
    [{ API_DEPRECATED: '2026-02-30T00:00:00Z' }, /^API_DEPRECATED must be a date/],
    [{ API_SUNSET: '2026-11-21T10:00' }, /a time with Z or an offset, not/],
    [{ API_SUNSET: '2026-11-21T25:00Z' }, /a time with Z or an offset, not/],
    [{ API_SUNSET: '9999-12-31T23:59:59-12:00' }, /^API_SUNSET must be a date/],
    [
      { API_DEPRECATED: '2026-11-21', API_SUNSET: '2026-11-20T23:59:59Z' },
      /^API_SUNSET must not be earlier than API_DEPRECATED: a version is deprecated before it is removed\.$/,
    ],
    [{ TRUST_PROXY: '10.0.0.0/8/24' }, /^TRUST_PROXY must be addresses or networks/],
    [{ TRUST_PROXY: '10.0.0.0/8/' }, /^TRUST_PROXY must be addresses or networks/],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'SECRET' }, /^OTEL_EXPORTER_OTLP_HEADERS must be name=value,…\.$/],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=b,SECRET' }, /must be name=value/],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=%zSECRET' }, /must be name=value/],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=b%0aSECRET' }, /must be name=value/],
    [
      { ACCESS: 'basic', ADMIN_SIGN_ID: 'a:b', ADMIN_PASSWORD: 'A SECRET' },
      /^ADMIN_SIGN_ID .*without a colon/,
    ],
    [
      { ACCESS: 'basic', ADMIN_SIGN_ID: 'a'.repeat(1_016), ADMIN_PASSWORD: 'A SECRET' },
      /^ADMIN_SIGN_ID and ADMIN_PASSWORD must have at most 1023 characters together/,
    ],
    [
      { MANAGEMENT_PORT: '8080' },
      /^PORT and MANAGEMENT_PORT are both 8080: set two different ports, or MANAGEMENT_PORT=off\.$/,
    ],
    [{ HOST: '::', ACCESS: 'open', MANAGEMENT_PORT: '8080' }, /^PORT and MANAGEMENT_PORT are both 8080/],
    [{ ADMIN_PASSWORD: 'SECRET!' }, /^ADMIN_PASSWORD must be a password of 8 to 128 characters\.$/],
    [{ ADMIN_PASSWORD: '🧾'.repeat(7) }, /^ADMIN_PASSWORD must be a password of 8/],
    [{ ADMIN_PASSWORD: 'x'.repeat(129) }, /^ADMIN_PASSWORD must be a password of 8/],
    [
      { DATABASE_URL: 'mysql://x' },
      /^DATABASE_URL must be sqlite:PATH, sqlite::memory: or postgres:\/\/…\.$/,
    ],
    [{ CORS_ORIGINS: 'https://*.example.com' }, /^CORS_ORIGINS must be origins such as https:[^"]*, not "/],
    [{ CORS_ORIGINS: 'https://app.example.com, http://*' }, /^CORS_ORIGINS must be origins/],
    [{ CORS_ORIGINS: 'https://app.example.com/' }, /^CORS_ORIGINS must be origins/],
    [{ CORS_ORIGINS: 'ftp://app.example.com' }, /^CORS_ORIGINS must be origins/],
    [{ BODY_LIMIT: '257MiB' }, /at most 256MiB, not "257MiB"\.$/],
    [{ BODY_LIMIT: '1023' }, /^BODY_LIMIT must be .* at least 1KiB and at most 256MiB, not "1023"\.$/],
  ]
  for (const [given, sentence] of table) {
    assert.match(refusal(given), sentence)
    assert.doesNotMatch(refusal(given), /SECRET/)
  }
  assert.equal(readConfig({ API_SUNSET: '2028-02-29' }).API_SUNSET, Date.UTC(2028, 1, 29))
  const atOnce = { API_DEPRECATED: '2026-11-21', API_SUNSET: '2026-11-21' }
  assert.equal(readConfig(atOnce).API_SUNSET, Date.UTC(2026, 10, 21))
  const origins = ['https://app.example.com', 'http://localhost:5173', 'http://[::1]:3000', '*']
  assert.deepEqual(readConfig({ CORS_ORIGINS: origins.join() }).CORS_ORIGINS, origins)
  for (const ADMIN_PASSWORD of ['x'.repeat(8), '🧾'.repeat(8), '🧾'.repeat(128)]) {
    const admin = { ACCESS: 'basic', ADMIN_SIGN_ID: 'admin', ADMIN_PASSWORD }
    assert.equal(readConfig(admin).ADMIN_PASSWORD, ADMIN_PASSWORD)
  }
  for (const time of ['2026-11-21T10:00Z', '2026-11-21T19:00:00+09:00', '2026-11-21T10:00:00.000Z'])
    assert.equal(readConfig({ API_SUNSET: time }).API_SUNSET, Date.UTC(2026, 10, 21, 10))
  assert.equal(readConfig({ BODY_LIMIT: '1024' }).BODY_LIMIT, 1024)
  assert.equal(readConfig({ BODY_LIMIT: '256MiB' }).BODY_LIMIT, 256 * 1024 ** 2)
  for (const [text, headers] of [
    ['a=b', { a: 'b' }],
    ['authorization=Basic%20YTpi, x-b =', { authorization: 'Basic YTpi', 'x-b': '' }],
    ['a= b==', { a: 'b==' }],
  ] as const)
    assert.deepEqual(readConfig({ OTEL_EXPORTER_OTLP_HEADERS: text }).OTEL_EXPORTER_OTLP_HEADERS, headers)
})

test('an ambiguous, invalid or unsupported PostgreSQL URL is refused without repeating it', () => {
  const wrong: readonly (readonly [string, RegExp])[] = [
    ['postgres://u:SECRET@db:99999/rollcall', /ports from 1 to 65535\.$/],
    ['postgres://u:SECRET@db:0/rollcall', /ports from 1 to 65535/],
    ['postgres://u:SECRET@one,two:x/rollcall', /must name hosts/],
    ['postgres://u:SEC/RET@db/rollcall', /%2F, %3F or %40\.$/],
    ['postgres://u:SEC?RET@db/rollcall', /%2F, %3F or %40/],
    ['postgres://u:SECRET%@db/rollcall', /%25\.$/],
    [
      'postgres://u:SECRET@db/rollcall?sslmode=foo',
      /must have sslmode as disable or allow or prefer or require or verify-ca or verify-full: /,
    ],
    ['postgresql://u:SECRET@db/rollcall?ssl=maybe', /must have ssl as true or false/],
    ['postgres://u:SECRET@db/rollcall?sslrootcert=/etc/RET.pem', /sslrootcert, .*set sslmode=verify-full/],
    ['postgres://u:SECRET@db/rollcall?ssl=false&sslrootcert=/etc/RET.pem', /set sslmode=verify-full/],
    ['postgres://u:SECRET@db/rollcall?sslmode=allow&sslmode=require', /gives one of its parameters twice\.$/],
    ['postgres://db/rollcall?host=/SECRET', /names hosts before its parameters and in the parameter host\.$/],
    ['postgres://db/rollcall?user=u&password=SECRET', /must give user before its parameters\.$/],
    [
      'postgres://db/rollcall?sslmode=require&channel_binding=maybe',
      /channel_binding as disable or prefer or require: no other value is supported\.$/,
    ],
    ['postgres://db/rollcall?sslmode=require&sslcert=SECRET', /must give sslcert and sslkey together\.$/],
    ['postgres://db/rollcall?sslmode=require&sslkey=SECRET', /must give sslcert and sslkey together\.$/],
    [
      'postgres://db/rollcall?sslmode=disable&sslcert=SECRET&sslkey=RET',
      /has an sslcert, but sslmode=disable sends it to no server: /,
    ],
    ['postgres://db/rollcall?target_session_attrs=any', /as primary or read-write: /],
    ['postgres://db/rollcall?connect_timeout=maybe', /connect_timeout in whole seconds, from 1 to 999\.$/],
    ['postgres://db/rollcall?connect_timeout=0', /connect_timeout in whole seconds/],
    ['postgres://db/rollcall?CLIENT_ENCODING=latin1', /client_encoding as auto or UTF8 or utf8: /],
    ['postgres://db/rollcall?synchronous_commit=off', /synchronous_commit as on or remote_apply: /],
    ...['sslcrl', 'requirepeer', 'require_auth', 'service', 'hostaddr', 'replication', 'gsslib'].map(
      (name) =>
        [`postgres://db/rollcall?${name}=SECRET`, new RegExp(`the parameter ${name}, which is not`)] as const,
    ),
  ]
  for (const [url, sentence] of wrong) {
    assert.match(refusal({ DATABASE_URL: url }), /^DATABASE_URL /)
    assert.match(refusal({ DATABASE_URL: url }), sentence, url)
    assert.doesNotMatch(refusal({ DATABASE_URL: url }), /SEC|RET|u:|foo|maybe/)
  }
  for (const url of [
    'postgres://',
    'postgres://db',
    'postgres://u@%2Frun%2Fpostgresql/rollcall',
    'postgres:///rollcall?host=/run/postgresql',
    'postgres://:5433/rollcall?host=/run/postgresql',
    'postgres://db/rollcall?sslmode=require&sslcert=me.crt&sslkey=me.key',
    'postgres://u@one:5432,two:5433/rollcall?sslmode=verify-full&sslrootcert=/etc/ca.pem',
    'postgresql://u:p%2Fa%40s@[::1]:5432/rollcall',
    'postgres://u:p@ss@db/rollcall?ssl=true',
    'postgres:///rollcall',
    'postgres://db/rollcall?sslmode=require&sslrootcert=/etc/ca.pem',
    'postgres://db/rollcall?ssl=true&sslrootcert=/etc/ca.pem',
    'postgres://db/rollcall?sslrootcert=system',
    'postgres://db/rollcall?target_session_attrs=read-write&connect_timeout=10',
    'postgres://one,two/rollcall?target_session_attrs=primary',
    'postgres://db/rollcall?channel_binding=prefer',
  ])
    assert.equal(readConfig({ DATABASE_URL: url }).DATABASE_URL, url)
})

test('an IPv6 host may be in brackets, and two hosts may use the same port', () => {
  const { HOST, MANAGEMENT_HOST } = readConfig({ HOST: '[::1]', MANAGEMENT_PORT: '8080' })
  assert.deepEqual([HOST, MANAGEMENT_HOST], ['::1', '127.0.0.1'])
})
