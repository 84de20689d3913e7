import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceFiles } from '../source.ts'

interface Expression {
  readonly path: string
  readonly literal: string
}

/** Comments, strings and regular expressions, which are recognised by the characters before the slash. */
const tokens =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|(?<=(?:[(,=:[!&|?{};>]|\breturn)\s*)\/(?![*/])((?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)/g

const expressions: readonly Expression[] = sourceFiles()
  .filter(({ path }) => path.startsWith('src/') && !path.endsWith('.test.ts'))
  .flatMap(({ path, text }) =>
    [...text.matchAll(tokens)]
      .filter(([, source]) => source !== undefined)
      .map(([literal]) => ({ path, literal })),
  )

/** Expressions that are not linear, and why no caller can exploit them. */
const excused: Readonly<Record<string, string>> = {
  'src/config/forms.ts /\\/+$/': "reads the operator's own settings",
  'src/console/bundle.ts /\\{\\{(.+?)\\}\\}/g': 'reads our own templates, when the package is built',
  'src/core/password-hash.ts /=+$/': 'reads base64 that the service made itself',
}

const sizes = { half: 2_000, whole: 4_000 }
const noticedMs = 1

/** Characters that make many expressions backtrack, in addition to those in the expression itself. */
const common = [...'aA01 \t-.:/%=,;"\\*<_é']

test('every regular expression in src, known exceptions aside, takes linear time on repeated input', (t) => {
  assert.ok(expressions.length > 50, `only ${expressions.length} expressions were found`)
  const slow = expressions
    .filter(({ path, literal }) => !(`${path} ${literal}` in excused))
    .flatMap((one) => [...slowInputs(one)])
  t.diagnostic(`${expressions.length} expressions`)
  assert.deepEqual(slow, [])
  const found = expressions.map(({ path, literal }) => `${path} ${literal}`)
  assert.deepEqual(
    Object.keys(excused).filter((name) => !found.includes(name)),
    [],
    'every known exception exists in the source',
  )
})

test('an expression that backtracks is detected', () => {
  // A busy machine may hide it from one measurement.
  const isFound = () => !slowInputs({ path: '', literal: '/b?x+$/' }).next().done
  assert.ok(isFound() || isFound() || isFound())
})

/** The inputs on which the expression is slow, each when it is asked for. */
function* slowInputs({ path, literal }: Expression) {
  const end = literal.lastIndexOf('/')
  const expression = new RegExp(literal.slice(1, end), literal.slice(end + 1))
  for (const pump of pumps(literal))
    if (endings(pump).some((ending) => isSlow(expression, pump, ending)))
      yield `${path} ${literal}: ${JSON.stringify(pump)}`
}

/** Single characters, and pairs of those in the expression. */
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
    // The whole text, as a global replacement would.
    if (expression.global) text.replace(expression, '')
    else expression.test(text)
    return performance.now() - startedAtMs
  }
  if (timed(sizes.whole) < noticedMs) return false
  const fastest = (size: number) => Math.min(timed(size), timed(size), timed(size))
  const isSlowNow = () => {
    const whole = fastest(sizes.whole)
    return whole > noticedMs && whole > 3 * fastest(sizes.half)
  }
  // Repeats the measurement, because a machine is not busy every time.
  return [1, 2, 3].every(isSlowNow)
}
