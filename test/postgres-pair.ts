import { chmodSync, chownSync, cpSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { openServer, type PostgresServer, postgresServer, smallSettings, urlOf } from './postgres-server.ts'
import { openProxy } from './proxy.ts'

export interface PairParts {
  readonly directory: string
  /** True if a commit waits for the standby. */
  readonly isSynchronous: boolean
}

export type Pair = Awaited<ReturnType<typeof openPair>>

/** A primary and a standby that was copied from it. */
export const openPair = async ({ directory, isSynchronous }: PairParts) => {
  const [primaryFiles, standbyFiles] = [join(directory, 'primary'), join(directory, 'standby')]
  const [primaryPort, standbyPort] = [await freePort(), await freePort()]
  const first = await openServer(primaryFiles)
  await first.stop()
  mkdirSync(standbyFiles)
  writeFileSync(join(standbyFiles, 'standby.signal'), '')
  copyFiles(primaryFiles, standbyFiles)
  const primary = postgresServer({
    directory: primaryFiles,
    port: primaryPort,
    settings: { ...smallSettings, synchronous_standby_names: isSynchronous ? 'standby1' : '' },
  })
  const link = await openProxy({ port: primaryPort })
  const standby = postgresServer({
    directory: standbyFiles,
    port: standbyPort,
    settings: {
      ...smallSettings,
      primary_conninfo: `host=127.0.0.1 port=${link.port} user=postgres application_name=standby1`,
      wal_receiver_status_interval: '1s',
    },
  })
  await primary.start()
  await standby.start()
  await whenFollowing(primary, isSynchronous ? 'sync' : 'async')
  return {
    primary,
    standby,
    /** The proxy between primary and standby. */
    link,
    url: urlOf(primary, standby),
    promote: async () => void (await standby.ask('SELECT pg_promote(true, 30)')),
    async close() {
      await Promise.all([primary.stop('SIGKILL'), standby.stop('SIGKILL')])
      await link.close()
    },
  }
}

/** While the server is not running, a copy of its files is a valid backup. */
export const copyFiles = (from: string, to: string) => {
  cpSync(from, to, { recursive: true })
  const { uid, gid } = lstatSync(from)
  for (const name of ['.', ...(readdirSync(to, { recursive: true }) as string[])])
    chownSync(join(to, name), uid, gid)
  chmodSync(to, 0o700)
}

const whenFollowing = async (primary: PostgresServer, state: string) => {
  for (let attempts = 0; attempts < 200; attempts++) {
    const [row] = await primary.ask('SELECT state, sync_state FROM pg_stat_replication')
    if (row?.state === 'streaming' && row.sync_state === state) return
    await sleep(50)
  }
  throw new Error('the standby does not follow')
}
