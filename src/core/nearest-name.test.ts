import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearestName } from './nearest-name.ts'

const names = [
  'HOST',
  'PORT',
  'ACCESS',
  'LOCALE',
  'SHELL',
  'TIME_ZONE',
  'LOG_LEVEL',
  'RATE_LIMIT',
  'REFUSED_PASSWORDS',
]

test('a name with one character added, missing, wrong or swapped suggests the setting meant', () => {
  for (const [given, meant] of [
    ['RATE_LIMITS', 'RATE_LIMIT'],
    ['XRATE_LIMIT', 'RATE_LIMIT'],
    ['ACCCESS', 'ACCESS'],
    ['ACESS', 'ACCESS'],
    ['CCESS', 'ACCESS'],
    ['ACCES', 'ACCESS'],
    ['TIMEZONE', 'TIME_ZONE'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['LOG-LEVEL', 'LOG_LEVEL'],
    ['LOG_LEVLE', 'LOG_LEVEL'],
    ['OLG_LEVEL', 'LOG_LEVEL'],
    ['REFUSED_PASSWORD5', 'REFUSED_PASSWORDS'],
  ] as const)
    assert.equal(nearestName(given, names), meant, given)
})

test('a name that is right, short or further off suggests nothing', () => {
  for (const given of [
    ...names,
    ...[
      'TZ',
      'LANG',
      'HOSTNAME',
      'HOSTS',
      'POST',
      'PORTS',
      'SORT',
      'SHELLS',
      'ACES',
      'ACCESSED',
      'CACESS_',
      'TIMEZONES',
    ],
    ...['LOG', 'LOGS_LEVELS', 'LEVEL_LOG', 'RATE', 'PASSWORDS', ''],
  ])
    assert.equal(nearestName(given, names), undefined, given)
})
