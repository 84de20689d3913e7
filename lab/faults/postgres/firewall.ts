import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openService } from '#lab/service.ts'
import { openServer, urlOf } from '../../../test/postgres-server.ts'
import type { Fault } from '../fault.ts'
import { outcomeOf, runWithHistory, untilCreated } from '../run-with-history.ts'

/** How the firewall treats packets to PostgreSQL. */
const verdicts = [
  { name: 'swallowed', target: ['DROP'] },
  { name: 'reset', target: ['REJECT', '--reject-with', 'tcp-reset'] },
] as const

const closedMs = 3000

/** A firewall blocks the way from service to PostgreSQL, in a network namespace of their own. */
export const firewall: Fault = {
  name: 'firewall before PostgreSQL',
  engine: 'postgres',
  promise: 'Nothing acknowledged is lost, and the service recovers by itself.',
  apart: true,
  unable: () => (spawnSync('iptables', ['--version']).status === 0 ? undefined : 'iptables is not installed'),
  async run({ directory, progress }) {
    const server = await openServer(join(directory, 'postgres'))
    const { url } = await openService({ databaseUrl: urlOf(server) })
    let healedMs = 0
    const report = await runWithHistory({
      urls: [url],
      progress,
      disturbances: verdicts.map(({ name, target }) => ({
        name,
        async act(history) {
          rule('-A', server.port, target)
          await sleep(closedMs)
          rule('-D', server.port, target)
          healedMs = Math.max(healedMs, await untilCreated(history, url))
        },
      })),
    })
    const figure = `${verdicts.length} verdicts: ${report.findings.length} of ${report.figures.acknowledgedWrites} writes wrong, healed after ≤ ${healedMs} ms`
    return outcomeOf(report, figure, { healedMs })
  },
}

const rule = (verb: '-A' | '-D', port: number, target: readonly string[]) =>
  execFileSync('iptables', [verb, 'INPUT', '-p', 'tcp', '--dport', String(port), '-j', ...target])
