import type { Fault } from './fault.ts'
import { asynchronousFailover, failover } from './postgres/failover.ts'
import { firewall } from './postgres/firewall.ts'
import { instances } from './postgres/instances.ts'
import { network } from './postgres/network.ts'
import { pool } from './postgres/pool.ts'
import { restart } from './postgres/restart.ts'
import { stalled } from './postgres/stalled.ts'
import { clock } from './sqlite/clock.ts'
import { damaged } from './sqlite/damaged.ts'
import { descriptors } from './sqlite/descriptors.ts'
import { diskFull } from './sqlite/disk-full.ts'
import { emptied } from './sqlite/emptied.ts'
import { kill } from './sqlite/kill.ts'
import { killMigration } from './sqlite/kill-migration.ts'
import { locked } from './sqlite/locked.ts'
import { nthCall } from './sqlite/nth-call.ts'
import { powerLoss } from './sqlite/power-loss.ts'
import { failingSync, readOnly } from './sqlite/refusing-disk.ts'
import { sigterm } from './sqlite/sigterm.ts'

/** In the order in which they are tried and shown. */
export const faults: readonly Fault[] = [
  kill,
  powerLoss,
  killMigration,
  sigterm,
  diskFull,
  readOnly,
  failingSync,
  nthCall,
  locked,
  damaged,
  emptied,
  descriptors,
  clock,
  instances,
  restart,
  failover,
  asynchronousFailover,
  stalled,
  network,
  firewall,
  pool,
]
