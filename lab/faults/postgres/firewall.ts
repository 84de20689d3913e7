import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from '../fault.ts'
import { openService } from '../service.ts'
import { brokenIn, healed, watched } from '../watched.ts'
import { openServer, urlOf } from './server.ts'

/** What the firewall does with packets to PostgreSQL. */
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
    try {
      const service = await openService({ databaseUrl: urlOf(server) })
      let healedMs = 0
      const report = await watched({
        urls: [service.url],
        async disturb(history) {
          for (const [index, { name, target }] of verdicts.entries()) {
            await history.fault(name, async () => {
              rule('-A', server.port, target)
              await sleep(closedMs)
              rule('-D', server.port, target)
              healedMs = Math.max(healedMs, await healed(history, service.url))
            })
            await history.goOn({ ms: 500 })
            progress((index + 1) / verdicts.length)
          }
        },
      })
      await service.end('SIGTERM')
      return {
        figure: `${verdicts.length} verdicts: ${report.findings.length} of ${report.figures.acknowledgedWrites} writes wrong, healed after ≤ ${healedMs} ms`,
        broken: brokenIn(report),
        figures: { healedMs, ...report.figures },
        timeline: report.timeline,
      }
    } finally {
      await server.stop('SIGKILL')
    }
  },
}

const rule = (verb: '-A' | '-D', port: number, target: readonly string[]) =>
  execFileSync('iptables', [verb, 'INPUT', '-p', 'tcp', '--dport', String(port), '-j', ...target])
