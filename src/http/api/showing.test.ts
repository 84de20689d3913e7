import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Admission } from './guard.ts'
import { showings } from './showing.ts'

test('every combination of view, links and form has a variant of its own', () => {
  const views = { full: {}, reduced: {}, recent: {}, l: {} }
  const showing = showings(views, { settings: [] })
  const admission: Admission = { principal: { kind: 'anyone', name: '' }, isOwn: false, sees: 'full' }
  const variants = Object.keys(views).flatMap((view) =>
    [true, false].flatMap((links) =>
      (['json', 'xml'] as const).map(
        (form) => showing({ admission, form, url: () => '/things', me: undefined }, { view, links }).variant,
      ),
    ),
  )
  assert.equal(new Set(variants).size, 16)
})
