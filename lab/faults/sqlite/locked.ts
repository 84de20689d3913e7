import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openService } from '#lab/service.ts'
import type { Fault } from '../fault.ts'
import { complaintsAboutAnswers, probe, until } from '../probe.ts'

/** More than fit into one commit. */
const writesAtOnce = 300

const boundMs = 5000
const lagLimitMs = 50

/** Another process holds the write lock of the file. */
export const locked: Fault = {
  name: 'locked by another process',
  engine: 'sqlite',
  promise: 'Writes get 503 in bounded time, and nothing else waits: the event loop lags less than 50 ms.',
  async run({ directory }) {
    const file = join(directory, 'rollcall.db')
    const lagFile = join(directory, 'lag')
    const service = await openService({
      databaseUrl: `sqlite:${file}`,
      nodeArguments: ['--import', join(import.meta.dirname, '../preload/lag.ts')],
      settings: { LAG_FILE: lagFile },
    })
    const [writer, reader] = [probe(service.url), probe(service.url)]
    await writer.write()
    const holder = await hold(file)
    process.kill(service.pid, 'SIGUSR2')
    const writing = Promise.all(Array.from({ length: writesAtOnce }, writer.write))
    const reads = []
    let isWriting = true
    void writing.finally(() => {
      isWriting = false
    })
    while (isWriting) reads.push(await reader.read())
    const writes = await writing
    process.kill(service.pid, 'SIGUSR2')
    const unread = reads.filter(({ status }) => status !== 200)
    await release(holder)
    const healedMs = await until(writer.write, 201)
    await service.end('SIGTERM')
    const lagMs = Number(readFileSync(lagFile, 'utf8'))
    const slowestMs = Math.round(Math.max(...writes.map(({ ms }) => ms)))
    return {
      figure: `${writes.length} writes: 503 after ${slowestMs} ms, loop lag ${lagMs} ms over ${reads.length} reads, healed after ${healedMs} ms`,
      broken: [...complaintsAboutAnswers(writes), ...unread.map(({ status }) => `a read got ${status}`)],
      slow: [
        ...(slowestMs > boundMs ? [`a write waited ${slowestMs} ms`] : []),
        ...(lagMs >= lagLimitMs ? [`the loop lagged ${lagMs} ms`] : []),
      ],
      figures: { slowestMs, lagMs, healedMs, reads: reads.length },
    }
  },
}

const program = `
  const { DatabaseSync } = require('node:sqlite')
  const db = new DatabaseSync(process.argv[1])
  db.exec('BEGIN IMMEDIATE')
  console.log('held')
  process.stdin.resume()`

const hold = async (file: string) => {
  const holder = spawn(process.execPath, ['-e', program, file], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(holder.stdout, 'data')
  return holder
}

const release = async (holder: ChildProcess) => {
  const gone = once(holder, 'exit')
  holder.kill('SIGKILL')
  await gone
}
