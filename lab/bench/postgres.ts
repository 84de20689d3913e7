import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../test/free-port.ts'
import { initialize, postgresServer } from '../../test/postgres-server.ts'
import { childrenOf } from '../../test/processes.ts'
import { pins } from './server.ts'

export interface Cluster {
  /** Returns the address of a new, empty database. */
  readonly create: () => Promise<string>
  readonly close: () => Promise<void>
}

const databaseCore = 1
const password = 'bench'

/** A separate PostgreSQL server with its default durability, on the second core next to the load. */
export const openCluster = async (folder: string, core: number | 'any' = databaseCore): Promise<Cluster> => {
  chmodSync(folder, 0o755)
  const directory = join(folder, 'postgres')
  initialize(directory, password)
  const server = postgresServer({ directory, port: await freePort(), password })
  await server.start()
  if (core !== 'any' && pins) pin(server.pid(), core)
  let count = 0
  return {
    async create() {
      const name = `bench_${count++}`
      await server.ask(`CREATE DATABASE ${name}`)
      return server.url.replace(/postgres$/, name)
    },
    close: () => server.stop(),
  }
}

/** Processes that it starts later inherit the core. */
const pin = (pid: number, core: number) => {
  for (const each of [pid, ...childrenOf(pid)]) spawnSync('taskset', ['-p', '-c', String(core), String(each)])
}
