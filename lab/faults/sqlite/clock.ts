import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { newMember, profile } from '#lab/people.ts'
import { openService } from '#lab/service.ts'
import type { Fault } from '../fault.ts'
import { outcomeOf, runWithHistory } from '../run-with-history.ts'

export const hourMs = 3_600_000
/** Hours before or behind the right time, one after the other. */
export const jumps = [1, -1, 2, -2, 0]

/** The machine's clock jumps forward and back under load. */
export const clock: Fault = {
  name: 'clock jumps',
  engine: 'sqlite',
  promise: 'Versions, ids and idempotency keys keep working; lastModifiedAt still increases.',
  async run({ directory, progress }) {
    const { jump, ...clocked } = jumpingClock(join(directory, 'clock'))
    const service = await openService({ databaseUrl: `sqlite:${join(directory, 'rollcall.db')}`, ...clocked })
    const member = await joinMember(service.url)
    const modified: string[] = []
    const report = await runWithHistory({
      urls: [service.url],
      calmMs: 0,
      progress,
      disturbances: jumps.map((hours, index) => ({
        name: `clock ${hours} h`,
        async act() {
          await jump(service.pid, hours * hourMs)
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

/** Node arguments and settings with which a test can make the clock of a service jump. */
export const jumpingClock = (file: string) => ({
  nodeArguments: ['--import', join(import.meta.dirname, '../preload/clock.ts')],
  settings: { CLOCK_FILE: file },
  async jump(pid: number, ms: number) {
    writeFileSync(file, String(ms))
    process.kill(pid, 'SIGUSR2')
    await sleep(300)
  },
})

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
