import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig, SettingError } from '#src/config.ts'

const urls = ['OAUTH_ISSUER', 'OAUTH_JWKS_URL', 'PUBLIC_URL', 'API_SUCCESSOR', 'OTEL_EXPORTER_OTLP_ENDPOINT']

/** What is said of a setting that is refused. */
const said = (settings: Record<string, string>): string => {
  try {
    readConfig(settings)
  } catch (error) {
    if (error instanceof SettingError) return error.message
    throw error
  }
  return assert.fail(`taken: ${JSON.stringify(settings)}`)
}

test('a URL with a user is refused, and not repeated', () => {
  for (const name of urls) {
    for (const url of [
      'https://u:SECRET@pub.example',
      'https://SECRET@pub.example/a',
      'https:u:SECRET@pub.example',
      'https:\\\\u:SECRET@pub.example',
      'htps://u:SECRET@pub.example',
      '//u:SECRET@pub.example',
    ]) {
      const message = said({ [name]: url })
      assert.match(message, new RegExp(`^${name} must be a URL without`), url)
      assert.doesNotMatch(message, /SECRET/)
    }
    const plain = 'https://pub.example/a@b'
    assert.deepEqual({ ...readConfig({ [name]: plain }) }, { ...readConfig({}), [name]: plain })
  }
})

test('a URL that something is put after has neither query nor fragment, and none has what a header cannot carry', () => {
  for (const name of ['OAUTH_ISSUER', 'PUBLIC_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT'])
    for (const url of ['https://pub.example/a?b', 'https://pub.example/a#c', 'https://pub.example?'])
      assert.match(said({ [name]: url }), /without user, query and fragment/)
  for (const name of urls)
    for (const url of [
      'https://pub.example/\r\na',
      'https://pub.example/é',
      'https://pub.example/ a',
      'https://',
    ])
      assert.match(said({ [name]: url }), new RegExp(name))
  const keys = 'https://issuer.example/keys?policy=p'
  assert.equal(readConfig({ OAUTH_JWKS_URL: keys }).OAUTH_JWKS_URL, keys)
})

test('what is in a file does not stand where its name is asked for, and is not repeated', () => {
  for (const name of ['TLS_CERT', 'TLS_KEY', 'REFUSED_PASSWORDS', 'SETTINGS_FILE'])
    for (const key of [
      '-----BEGIN PRIVATE KEY-----\nSECRET\n-----END PRIVATE KEY-----',
      '-----BEGIN PRIVATE KEY-----\\nSECRET',
      'SECRET\n',
    ])
      assert.equal(said({ [name]: key }), `${name} must be a file.`)
})
