import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { storedMember } from '#lab/people.ts'
import { NotReady, openService } from '#lab/service.ts'
import { migrateAll } from '../../../src/app/migrations.ts'
import { member } from '../../../src/resources/member/index.ts'
import { openDatabase } from '../../../src/sql/open.ts'
import { rollcall, running } from '../../../test/operations/child.ts'
import { openServer, urlOf } from '../../../test/postgres-server.ts'
import { type Fault, rounds } from '../fault.ts'

/** With fewer, the move would end before it can be killed. */
const minMembers = 5_000

/** A move from SQLite to PostgreSQL is killed midway and resumed; then everything moves back into another file. */
export const move: Fault = {
  name: 'move to PostgreSQL and back, killed midway',
  engine: 'postgres',
  promise:
    'No service starts on half a move; the move resumes when it is run again, every row arrives, and members can sign in.',
  async run(stage) {
    const members = Math.max(minMembers, rounds(stage, 100_000))
    const server = await openServer(join(stage.directory, 'postgres'))
    const [from, to] = [`sqlite:${join(stage.directory, 'from.db')}`, urlOf(server)]
    await fill(from, members)
    stage.progress(0.2)
    const moving = running(['move', '--from', from, '--to', to])
    await whenUnderWay(moving.child, to, members / 10)
    moving.child.kill('SIGKILL')
    await moving.ended
    const served = await endOfStart(to)
    stage.progress(0.3)
    const again = await timed(['move', '--from', from, '--to', to, '--json'])
    const status = await signsIn(to)
    await server.ask('CREATE DATABASE whole')
    const there = await timed(['move', '--from', from, '--to', to.replace('/rollcall', '/whole'), '--json'])
    stage.progress(0.6)
    const home = `sqlite:${join(stage.directory, 'back.db')}`
    const back = await timed(['move', '--from', to, '--to', home, '--json'])
    stage.progress(0.9)
    const verified = await timed(['verify', '--json', '--database-url', to])
    const hashes = [again, there, back].map(({ out }) => membersOf(out))
    return {
      figure: `${members} members and their credentials: ${there.seconds} s to PostgreSQL, ${back.seconds} s back, equal afterwards; a killed move resumed and took ${again.seconds} s; a member signs in: ${status}`,
      broken: [
        ...(served === 3 ? [] : [`a service on half a move: ${served}`]),
        ...(status === 200 ? [] : [`a member who signs in was answered ${status}`]),
        ...(new Set(hashes).size === 1 ? [] : [`hashes differ: ${hashes.join(' ')}`]),
        ...(verified.code === 0 ? [] : [`verify found: ${(verified.out + verified.err).slice(0, 200)}`]),
      ],
      figures: {
        members,
        thereSeconds: there.seconds,
        backSeconds: back.seconds,
        resumedSeconds: again.seconds,
        verifySeconds: verified.seconds,
      },
    }
  },
}

const batchSize = 500

const fill = async (url: string, count: number) => {
  const db = await openDatabase(url)
  await migrateAll(db)
  const members = member.records(db)
  for (let from = 0; from < count; from += batchSize)
    await members.insert(
      Array.from({ length: Math.min(batchSize, count - from) }, (_, n) => storedMember(from + n)),
    )
  await db.close()
}

const timed = async (args: readonly string[]) => {
  const startedAt = performance.now()
  const { code, out, err } = await rollcall(args)
  if (code !== 0 && args[0] === 'move') throw new Error(`${args.join(' ')} ended with ${code}: ${err}`)
  return { code, out, err, seconds: Math.round((performance.now() - startedAt) / 100) / 10 }
}

/** Waits until some members have been moved, but not all. */
const whenUnderWay = async (child: ChildProcess, url: string, count: number) => {
  const client = postgres(url, { max: 1, onnotice: () => {} })
  while (child.exitCode === null) {
    const [row] = await client`SELECT count(*) FROM member`.catch(() => [])
    if (Number(row?.count ?? 0) >= count) return client.end({ timeout: 1 })
    await sleep(5)
  }
  throw new Error('the move ended before it was killed')
}

const endOfStart = (databaseUrl: string) =>
  openService({ databaseUrl }).then(
    async (service) => {
      await service.end('SIGKILL')
      return 'it started'
    },
    (error) => (error instanceof NotReady ? error.exit : String(error)),
  )

const membersOf = (out: string) =>
  (JSON.parse(out) as { name: string; hash: string }[]).find(({ name }) => name === 'members')?.hash

const signsIn = async (databaseUrl: string) => {
  const service = await openService({ databaseUrl, settings: { ACCESS: 'basic' } })
  const authorization = `Basic ${Buffer.from('P5@example.com:demodemo').toString('base64')}`
  const { status } = await fetch(`${service.url}/api/v1/todos?size=1`, { headers: { authorization } })
  await service.end('SIGTERM')
  return status
}
