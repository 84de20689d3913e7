import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { newMember, profile } from '#lab/people.ts'
import { openService } from '#lab/service.ts'
import type { Fault } from '../fault.ts'
import { outcomeOf, watched } from '../watched.ts'

const hourMs = 3_600_000

/** The machine's clock jumps forward and back under load. */
export const clock: Fault = {
  name: 'clock jumps',
  engine: 'sqlite',
  promise: 'Versions, ids and idempotency keys keep working; lastModifiedAt still increases.',
  async run({ directory, progress }) {
    const clockFile = join(directory, 'clock')
    const service = await openService({
      databaseUrl: `sqlite:${join(directory, 'rollcall.db')}`,
      nodeArguments: ['--import', join(import.meta.dirname, '../preload/clock.ts')],
      settings: { CLOCK_FILE: clockFile },
    })
    const jumps = [1, -1, 2, -2, 0]
    const member = await joinMember(service.url)
    const modified: string[] = []
    const report = await watched({
      urls: [service.url],
      calmMs: 0,
      progress,
      disturbances: jumps.map((hours, index) => ({
        name: `clock ${hours} h`,
        async act() {
          writeFileSync(clockFile, String(hours * hourMs))
          process.kill(service.pid, 'SIGUSR2')
          await sleep(300)
          modified.push(await modify(service.url, member, index))
        },
      })),
    })
    const fell = modified.filter((one, index) => index > 0 && one <= (modified[index - 1] ?? ''))
    const figure = `${jumps.length} jumps: ${report.findings.length} of ${report.figures.acknowledgedWrites} writes wrong`
    const outcome = outcomeOf(report, figure, { jumps: jumps.length })
    return { ...outcome, broken: [...outcome.broken, ...fell.map((one) => `lastModifiedAt fell to ${one}`)] }
  },
}

const joinMember = async (url: string) =>
  (await send(`${url}/api/v1/members`, 'POST', newMember('clock', 'a password for one'))).memberId

const modify = async (url: string, memberId: string, n: number) =>
  (await send(`${url}/api/v1/members/${memberId}`, 'PUT', { ...profile, firstName: `First ${n}` }))
    .lastModifiedAt

const send = async (url: string, method: string, body: unknown) => {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method, headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${method} ${url} was answered ${answer.status}`)
  return (await answer.json()) as { memberId: string; lastModifiedAt: string }
}
