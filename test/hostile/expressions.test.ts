import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceFiles } from '../source.ts'

interface Expression {
  readonly path: string
  readonly literal: string
}

/** Comments, texts and expressions, told apart by what stands before a stroke. */
const tokens =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|(?<=(?:[(,=:[!&|?{};>]|\breturn)\s*)\/(?![*/])((?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)/g

const expressions: readonly Expression[] = sourceFiles()
  .filter(({ path }) => path.startsWith('src/') && !path.endsWith('.test.ts'))
  .flatMap(({ path, text }) =>
    [...text.matchAll(tokens)]
      .filter(([, source]) => source !== undefined)
      .map(([literal]) => ({ path, literal })),
  )

/** What takes more than its length, and why nobody can make it take long. */
const excused: Readonly<Record<string, string>> = {
  'src/config/forms.ts /\\/+$/': 'reads the settings of the one who runs it',
  'src/console/bundle.ts /\\{\\{(.+?)\\}\\}/g': 'reads our own templates, when the package is made',
  'src/core/password.ts /=+$/': 'reads base64 of our own making',
}

const sizes = { half: 4_000, whole: 8_000 }
const noticedMs = 1

/** Letters that many expressions go back over, besides those that stand in the expression. */
const common = [
  'a',
  'A',
  '0',
  '1',
  ' ',
  '\t',
  '-',
  '.',
  ':',
  '/',
  '%',
  '=',
  ',',
  ';',
  '"',
  '\\',
  '*',
  '<',
  '_',
  'é',
]

test('every expression of the source takes twice as long for twice as much, whatever is repeated', (t) => {
  assert.ok(expressions.length > 50, `only ${expressions.length} expressions were found`)
  const slow = expressions
    .filter(({ path, literal }) => !(`${path} ${literal}` in excused))
    .flatMap(slowInputs)
  t.diagnostic(`${expressions.length} expressions`)
  assert.deepEqual(slow, [])
  const found = expressions.map(({ path, literal }) => `${path} ${literal}`)
  assert.deepEqual(
    Object.keys(excused).filter((name) => !found.includes(name)),
    [],
    'what is excused is there',
  )
})

test('an expression that goes back is found', () => {
  assert.notDeepEqual(slowInputs({ path: '', literal: '/b?x+$/' }), [])
})

const slowInputs = ({ path, literal }: Expression): string[] => {
  const end = literal.lastIndexOf('/')
  const expression = new RegExp(literal.slice(1, end), literal.slice(end + 1))
  return pumps(literal).flatMap((pump) =>
    endings(pump).some((ending) => isSlow(expression, pump, ending))
      ? [`${path} ${literal}: ${JSON.stringify(pump)}`]
      : [],
  )
}

/** Single letters, and pairs of those that the expression names. */
const pumps = (literal: string): string[] => {
  const named = [...new Set(literal.replace(/\\[a-zA-Z]/g, ''))]
  const pairs = named.slice(0, 10).flatMap((one) => named.slice(0, 10).map((other) => one + other))
  return [...new Set([...common, ...named, ...pairs])]
}

const endings = (pump: string): readonly (readonly [string, string])[] => [
  ['', '\u0000'],
  ['a', '!'],
  [';a="', '!'],
  [`x${pump.slice(0, 1)}`, ''],
]

const isSlow = (expression: RegExp, pump: string, [before, after]: readonly [string, string]): boolean => {
  const timed = (size: number) => {
    const text = before + pump.repeat(size / pump.length) + after
    expression.lastIndex = 0
    const startedAtMs = performance.now()
    // All of it, as a replacement of every place would look.
    if (expression.global) text.replace(expression, '')
    else expression.test(text)
    return performance.now() - startedAtMs
  }
  if (timed(sizes.whole) < noticedMs) return false
  const fastest = (size: number) => Math.min(timed(size), timed(size), timed(size))
  const whole = fastest(sizes.whole)
  return whole > noticedMs && whole > 3 * fastest(sizes.half)
}
