import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freshFolder } from '../fresh-folder.ts'
import { withoutProgram } from '../needed.ts'

const skip = withoutProgram('promtool')

const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

const rules = pathOf('deploy/alerts.yaml')
const runbook = pathOf('docs/alerts.md')

/** The count of storage failures every ten seconds, in promtool's notation, and the alerts that fire at each time. */
interface AlertCase {
  readonly name: string
  readonly reason: string
  readonly values: string
  readonly expected: Readonly<Record<string, readonly string[]>>
}

const alertCases: readonly AlertCase[] = [
  {
    name: 'a PostgreSQL restart of one minute raises a warning but no page',
    reason: '57P03',
    values: '0x18 5+5x6 35x60',
    expected: { '4m30s': ['RollcallStorageError'], '8m': ['RollcallStorageError'], '12m': [] },
  },
  {
    name: 'an unreachable PostgreSQL raises a page after five minutes',
    reason: 'ECONNREFUSED',
    values: '0x18 5+5x80',
    expected: {
      '7m': ['RollcallStorageError'],
      '10m': ['RollcallStorageError', 'RollcallStorageErrors'],
    },
  },
  {
    name: 'one write refused by a full disk raises a page at once',
    reason: 'full',
    values: '0x18 1x60',
    expected: { '4m': ['RollcallStorageBroken', 'RollcallStorageError'], '12m': [] },
  },
]

test('every alert links to its own paragraph, and every paragraph has an alert', async () => {
  const [alerts, page] = await Promise.all([rules, runbook].map((path) => readFile(path, 'utf8')))
  const named = [...(alerts ?? '').matchAll(/^ +- alert: (\w+)$/gm)].map(([, name = '']) => name)
  const links = [...(alerts ?? '').matchAll(/^ +runbook_url: (\S+)$/gm)].map(([, link]) => link)
  assert.deepEqual(
    links,
    named.map((name) => `docs/alerts.md#${name.toLowerCase()}`),
  )
  const paragraphs = [...(page ?? '').matchAll(/^## (\w+)\n\n\w/gm)].map(([, name = '']) => name)
  assert.deepEqual(paragraphs.toSorted(), named.toSorted())
})

test('promtool accepts the alerts', { skip }, () => {
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', rules], { encoding: 'utf8' })
  assert.equal(status, 0, stdout + stderr)
})

for (const { name, reason, values, expected } of alertCases)
  test(name, { skip }, async () => {
    const labels = (alertname: string) =>
      alertname === 'RollcallStorageErrors' ? { instance: 'a' } : { instance: 'a', reason }
    const names = ['RollcallStorageBroken', 'RollcallStorageError', 'RollcallStorageErrors']
    const checks = Object.entries(expected).flatMap(([time, firing]) =>
      names.map((alertname) => ({
        time,
        alertname,
        firing: firing.includes(alertname) ? [labels(alertname)] : [],
      })),
    )
    const file = join(freshFolder(), 'test.yaml')
    const series = `rollcall_storage_errors_total{instance="a",reason="${reason}"}`
    await writeFile(
      file,
      JSON.stringify({
        rule_files: [rules],
        evaluation_interval: '10s',
        tests: [
          {
            interval: '10s',
            input_series: [{ series, values }],
            promql_expr_test: checks.map(({ time, alertname, firing }) => ({
              eval_time: time,
              expr: `count by (instance, reason) (ALERTS{alertname="${alertname}",alertstate="firing"})`,
              exp_samples: firing.map((labels) => ({
                labels: `{${Object.entries(labels).map(([name, value]) => `${name}="${value}"`)}}`,
                value: 1,
              })),
            })),
          },
        ],
      }),
    )
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' })
    assert.equal(status, 0, stdout + stderr)
  })
