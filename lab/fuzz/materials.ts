import type { Random } from '#lab/random.ts'

/** Part of every password that the fuzzer sends; no response may contain it. */
export const secret = 'Sesame-6f1d'

/** Values separated by white space. */
const words = (text: string) => text.trim().split(/\s+/)

/** Values that may contain white space, separated by bars. */
const between = (text: string) => text.split(' | ')

export const strings: readonly string[] = [
  ...words(String.raw`
    a John 山田 % _ \ %s%n%x #{7*7} {{7*7}} <script>alert(1)</script> ]]> <!-- &lt;&#0; ../../../etc/passwd ß İ
    null undefined NaN true __proto__ constructor 0 1 2 3 -1 1e999 a@b.jp a@b @
    2000-02-29 2001-02-29 0000-00-00 9999-12-31 2999-01-01 -000001-01-01 2026-11-21T06:45:00.123+09:00
    2026-11-21T06:45:00.123+0900 2026-11-21T06:45:00.123Z 2026-11-21T24:00:00.000Z`),
  ...['', ' ', '\t', '\r\n', "' OR '1'='1", "'; DROP TABLE members; --"],
  ...[30, 31, 128, 129, 257, 5000].map((length) => 'x'.repeat(length)),
  ...['🐈'.repeat(30), 'e\u0301\u0302\u0303'.repeat(9), `${'a'.repeat(65)}@b.jp`],
  ...['\u0000', 'a\u0000b', '\u0001', '\u001b[31m', '\u007f\u0080\u0085', '\ud800', '\udc00a'],
  ...['\ufffe', '\uffff', '\ufeff', '\u202e\u2066', '\ufdfa'],
]

export const values: readonly unknown[] = [
  ...[null, true, false, 0, -0, 1, -1, 1.5, 1e308, Number.MAX_SAFE_INTEGER],
  ...[[], {}, [null], [[[[]]]], { a: { b: { c: null } } }, { __proto__: null }, { toString: 'x' }],
]

export const names: readonly string[] = [
  ...words(`
    todoId todoTitle finished createdAt links memberId firstName lastName genderCode dateOfBirth emailAddress
    telephoneNumber zipCode address credential lastModifiedAt signId password currentPassword passwordLastChangedAt
    version __proto__ constructor x ID a.b 日本 <x> -1 xsi:nil xmlns hasOwnProperty`),
  ...['', 'a b'],
]

const tags = [...words(`* "1-json" W/"1-json" "x" x " "" W/ ,, "1-json`), '"a", "b", *', '\x80']

/** Values for the headers that the service interprets. */
export const headerValues: Readonly<Record<string, readonly string[]>> = {
  'Content-Type': [
    ...words(`
      application/json application/json application/xml application/xml application/merge-patch+json
      application/json;charset="UTF-8" text/plain text/xml multipart/form-data application/json;;; / a/b/c */*`),
    ...between(
      'application/json; charset=utf-8 | application/json; charset=utf-16 | application/json; charset=',
    ),
    ...['application/xml; charset=shift_jis', 'application/json, application/xml', '', ' '],
  ],
  Accept: [
    ...words(`
      */* application/json application/xml application/problem+json text/html application/* application/json;q=0
      */*;q=0 application/json;q=2 application/json;q=-1 application/json;q=abc ;;; , a * application/json;q=0.12345`),
    ...['application/xml;q=0.5, application/json;q=0.4', 'application/problem+json, application/xml;q=0.9'],
    ...['', `${'a/b,'.repeat(400)}*/*`],
  ],
  'Accept-Encoding': [...words('gzip br * identity;q=0 *;q=0 gzip;q=0 x gzip;q=a'), 'gzip, br', ''],
  'Accept-Language': [
    ...words('ja en * ;q=1 ja-JP-x-private'),
    ...['fr, ja;q=0.5', '', 'x'.repeat(500), 'ja;q=0, en;q=0'],
  ],
  'Content-Encoding': ['gzip', 'identity', 'br', 'x', '', 'gzip, gzip', 'GZIP'],
  'If-Match': tags,
  'If-None-Match': tags,
  'If-Modified-Since': ['Mon, 01 Jan 2001 00:00:00 GMT', 'Sun, 01 Jan 2090 00:00:00 GMT', 'x', '', '0'],
  'If-Unmodified-Since': ['Mon, 01 Jan 2001 00:00:00 GMT', 'x'],
  Range: ['bytes=0-1', 'bytes=5-', 'x'],
  'Idempotency-Key': ['a', 'b', 'c', '"quoted"', '', ' ', 'k'.repeat(255), 'k'.repeat(256), '\xe9'],
  Prefer: [
    ...words('return=minimal return=representation x = return="'),
    ...['return=minimal, return=representation', ''],
  ],
  'X-Track': ['fine', '', 'a b', 'x'.repeat(65), '\xff', '<script>'],
  traceparent: [
    ...['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', '00--', 'x'],
    `00-${'0'.repeat(32)}-${'0'.repeat(16)}-00`,
  ],
  Origin: ['http://evil.example', 'null', ''],
  'Access-Control-Request-Method': ['POST', 'X'],
  'X-Forwarded-For': ['1.2.3.4', 'x', '::1'],
  'X-Forwarded-Host': ['evil.example'],
  'X-HTTP-Method-Override': ['DELETE'],
  Expect: ['100-continue', '100-Continue', 'x'],
  Upgrade: ['websocket', 'h2c'],
  Cookie: ['a=b', '=;;'],
  TE: ['trailers'],
  Connection: ['close', 'keep-alive', 'Upgrade', 'close, x', 'Content-Type', ''],
  Forwarded: ['host=evil', '=;,"'],
  'X-Empty': [''],
  'X-Long': ['x'.repeat(6000), 'x'.repeat(20_000)],
}

export const queryNames: readonly string[] = [
  ...words('name page size sort cursor finished view links createdFrom createdTo x'),
  '',
]

export const queryValues: readonly string[] = [
  ...words(`
    0 1 -1 2 20 100 101 9999999999 1.5 0x1 1e3 abc true false TRUE createdAt createdAt,desc firstName,asc todoTitle
    lastName,down , x reduced detailed 2026-11-21 2026-11-21T06:45:00.123%2B09:00 2026-11-21T06:45:00.123+0900
    2026-11-21T06:45:00.123Z 2026-13-41 % %zz %00 %ff %ed%a0%80 %e5%b1%b1 + a%20b %25 _ ' %F0%9F%90%88 [] a&b=c ==
    eyJhIjoxfQ eyJhIjoxfQ.c2lnbmF0dXJl __proto__ password 山`),
  ...['', '9'.repeat(30), 'x'.repeat(129), 'x'.repeat(3000)],
]

export const oddPaths: readonly string[] = [
  ...words(`
    / * /api /api/v1 /api/v1/ /api/v2/todos //api/v1/todos /api/v1//todos /api/v1/todos/ /api/v1/todos//
    /%61pi/v1/todos /api/v1/%74odos /api/v1/todos%2F /api/v1/todos/%2e%2e /api/v1/../v1/todos /api/v1/todos;a=b
    /api/v1/todos. /api/v1/todos..json /api/v1/todos.json.xml /api/v1/.json /api/v1/members.xml
    /api/v1/todos.%6ason /api/v1/todos.yaml /api/v1/__proto__ /api/v1/constructor /api/v1/toString /favicon.ico
    http://127.0.0.1/api/v1/todos http:///api/v1/todos http:// ftp://x/api/v1/todos ? /? /api/v1/todos?? todos
    /.well-known/oauth-protected-resource /metrics /health`),
  ...[`/api/v1/${'a/'.repeat(300)}`, `/api/v1/${'x'.repeat(9000)}`],
]

export const oddIds: readonly string[] = [
  ...words(`
    0 null %00 % %zz %ff .. . %2e%2e %2F ' %22 %F0%9F%90%88 山 01890000-0000-7000-8000-000000000000
    01890000-0000-7000-8000-00000000000G .json a.xml a.b __proto__`),
  'x'.repeat(300),
]

export const methods: readonly string[] = words(
  'GET POST PUT PATCH DELETE HEAD OPTIONS TRACE PROPFIND QUERY LOCK FOO get M-SEARCH',
)

export const anyString = (random: Random): string => {
  if (!random.chance(4)) return random.pick(strings)
  return Array.from({ length: random.int(12) }, () =>
    String.fromCodePoint(random.int(random.pick([128, 256, 65_536, 0x110000]))),
  ).join('')
}

export const anyValue = (random: Random): unknown =>
  random.chance(2) ? anyString(random) : random.pick(values)
