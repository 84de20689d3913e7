import type { Fault } from './fault.ts'
import { asOne } from './postgres/as-one.ts'
import { behindHaproxy, behindNginx } from './postgres/balanced.ts'
import {
  changesAfterFailover,
  changesAfterRestore,
  changesAmidJumps as changesAmidJumpsOnPostgres,
  changesAmidRestarts,
  changesAmidSweeps as changesAmidSweepsOnPostgres,
  changesAtStillStandby,
  changes as changesOnPostgres,
} from './postgres/changes.ts'
import { asynchronousFailover, failover } from './postgres/failover.ts'
import { firewall } from './postgres/firewall.ts'
import { instances } from './postgres/instances.ts'
import { killMigration as killPostgresMigration } from './postgres/kill-migration.ts'
import { move } from './postgres/move.ts'
import { network } from './postgres/network.ts'
import { pool } from './postgres/pool.ts'
import { restart } from './postgres/restart.ts'
import { rolling } from './postgres/rolling.ts'
import { stalled } from './postgres/stalled.ts'
import {
  changesAmidJumps,
  changesAmidSweeps,
  changesOnFullDisk,
  changes as changesOnSqlite,
} from './sqlite/changes.ts'
import { clock } from './sqlite/clock.ts'
import { damaged } from './sqlite/damaged.ts'
import { descriptors } from './sqlite/descriptors.ts'
import { diskFull } from './sqlite/disk-full.ts'
import { emptied } from './sqlite/emptied.ts'
import { flippedBit } from './sqlite/flipped-bit.ts'
import { kill } from './sqlite/kill.ts'
import { killMigration } from './sqlite/kill-migration.ts'
import { locked } from './sqlite/locked.ts'
import { logSinks } from './sqlite/log-sinks.ts'
import { nthCall } from './sqlite/nth-call.ts'
import { nthSync } from './sqlite/nth-sync.ts'
import { powerLoss } from './sqlite/power-loss.ts'
import { failingSync, readOnly } from './sqlite/refusing-disk.ts'
import { sigterm } from './sqlite/sigterm.ts'

/** In the order in which they are run and shown. */
export const faults: readonly Fault[] = [
  kill,
  powerLoss,
  killMigration,
  sigterm,
  diskFull,
  readOnly,
  failingSync,
  nthSync,
  nthCall,
  locked,
  damaged,
  emptied,
  flippedBit,
  descriptors,
  clock,
  logSinks,
  changesOnSqlite,
  changesOnFullDisk,
  changesAmidJumps,
  changesAmidSweeps,
  instances,
  behindHaproxy,
  behindNginx,
  rolling,
  asOne,
  killPostgresMigration,
  restart,
  failover,
  asynchronousFailover,
  stalled,
  network,
  firewall,
  pool,
  move,
  changesOnPostgres,
  changesAmidRestarts,
  changesAfterFailover,
  changesAtStillStandby,
  changesAfterRestore,
  changesAmidJumpsOnPostgres,
  changesAmidSweepsOnPostgres,
]
