import { setTimeout as sleep } from 'node:timers/promises'
import { fold } from '../../src/core/fold.ts'
import { sql } from '../../src/sql/query.ts'
import { changePlants } from './change-plants.ts'
import { inModule, type Plant, type Wraps } from './plant.ts'

const inWal = (wal: Wraps<typeof import('../../src/sql/sqlite/wal.ts')>['wal'] & {}) =>
  inModule<typeof import('../../src/sql/sqlite/wal.ts')>('sql/sqlite/wal.ts', { wal })

const inSession = (
  openSession: Wraps<typeof import('../../src/sql/postgres/session.ts')>['openSession'] & {},
) => inModule<typeof import('../../src/sql/postgres/session.ts')>('sql/postgres/session.ts', { openSession })

const inDurability = (
  durability: Wraps<typeof import('../../src/sql/sqlite/durability.ts')>['durability'] & {},
) => inModule<typeof import('../../src/sql/sqlite/durability.ts')>('sql/sqlite/durability.ts', { durability })

export const plants: readonly Plant[] = [
  {
    name: 'answer before the sync',
    places: [
      inWal((real) => (...given) => {
        const wal = real(...given)
        return { ...wal, sync: async (fastMs) => void wal.sync(fastMs).catch(() => undefined) }
      }),
    ],
    finder: 'power loss',
    size: 0.05,
  },
  {
    name: 'read before the sync',
    places: [
      inDurability((real) => (parts) => {
        const { durableSnapshot } = parts
        return real({ ...parts, durableSnapshot: { ...durableSnapshot, hold: durableSnapshot.renew } })
      }),
    ],
    finder: 'power loss',
    size: 0.05,
  },
  {
    name: 'the sync of the group before',
    places: [
      inWal((real) => (...given) => {
        const wal = real(...given)
        let last = Promise.resolve()
        return {
          ...wal,
          async sync(fastMs) {
            const before = last
            last = wal.sync(fastMs)
            await before
          },
        }
      }),
    ],
    finder: 'power loss',
    size: 0.05,
  },
  {
    name: 'a failed sync repeated and believed',
    places: [
      inWal((real) => (...given) => {
        const wal = real(...given)
        return { ...wal, sync: (fastMs) => wal.sync(fastMs).catch(() => wal.sync(fastMs)) }
      }),
    ],
    finder: 'the n-th sync fails',
    size: 0.1,
  },
  {
    name: 'a refused commit left in the log',
    places: [
      inWal((real) => (...given) => ({ ...real(...given), cutOffUnsynced: () => undefined })),
    ],
    finder: 'the n-th sync fails',
    size: 0.1,
  },
  {
    name: 'answer before commit',
    places: [
      inModule<typeof import('../../src/sql/sqlite/queued-write.ts')>('sql/sqlite/queued-write.ts', {
        QueuedStatement: (Real) =>
          class extends Real {
            override run(...given: Parameters<InstanceType<typeof Real>['run']>) {
              const changes = super.run(...given)
              this.resolve(changes)
              return changes
            }
          },
      }),
      inModule<typeof import('../../src/sql/sqlite/transaction.ts')>('sql/sqlite/transaction.ts', {
        QueuedTransaction: (Real) =>
          class extends Real {
            override async run(...given: Parameters<InstanceType<typeof Real>['run']>) {
              const value = await super.run(...given)
              // Not for migrations: without its tables the service would not start, and nothing would be tested.
              if (!this.hasAlteredTables) this.resolve(value)
              return value
            }
          },
      }),
      inDurability((real) => (parts) => {
        const disk = real(parts)
        return {
          ...disk,
          async commit(commit) {
            await sleep(5)
            await disk.commit(commit)
          },
        }
      }),
    ],
    finder: 'kill -9',
    size: 0.1,
  },
  {
    name: 'change without version check',
    places: [
      inModule<typeof import('../../src/resources/machine/store.ts')>('resources/machine/store.ts', {
        recordStore: (real) => (parts) => {
          const store = real(parts)
          return {
            ...store,
            async replace(record, changed, actor) {
              const { version = 0 } = (await store.find(String(record.todoId))) ?? {}
              return store.replace({ ...record, version: version + 1 }, changed, actor)
            },
          }
        },
      }),
    ],
    finder: 'two instances, one killed',
    size: 0.3,
  },
  {
    name: 'a stale cache',
    places: [
      inModule<typeof import('../../src/sql/sqlite/record-cache.ts')>('sql/sqlite/record-cache.ts', {
        recordCache: (real) => () => {
          const records = real()
          const remove: typeof records.delete = (key) => {
            if (Math.random() < 0.8) records.delete(key)
          }
          return { ...records, delete: remove }
        },
      }),
    ],
    finder: 'kill -9',
    size: 0.04,
  },
  {
    name: 'ask, then insert',
    places: [
      inModule<typeof import('../../src/app/migrations.ts')>('app/migrations.ts', {
        migrateAll: (real) => async (db) => {
          const applied = await real(db)
          await db.alter((tx) => tx.exec(withoutUniqueSignIds))
          return applied
        },
      }),
      inModule<typeof import('../../src/resources/member/rows.ts')>('resources/member/rows.ts', {
        insertMember: (real) => async (tx, member) => {
          const folded = fold(member.credential.signId)
          const owners = await tx.read(
            sql`SELECT sign_id FROM credential WHERE sign_id_folded = ${folded}`,
            (row) => row,
          )
          if (owners.length > 0) return false
          // The pause outlasts hashing, so callers of one instance collide too; without it, half of the runs missed this.
          await tx.read(sql`SELECT pg_sleep(0.05)`, (row) => row)
          return real(tx, member)
        },
      }),
    ],
    finder: 'two instances, one killed',
    size: 0.6,
  },
  {
    name: 'repeat without a key',
    places: [
      inModule<typeof import('../../src/http/api/idempotency.ts')>('http/api/idempotency.ts', {
        idempotency: () => () => ({ answer: (_, work) => work(), isAnswered: async () => false }),
      }),
    ],
    finder: 'two instances, one killed',
    size: 0.3,
  },
  {
    name: 'asynchronous standby',
    places: [
      inSession((real) => async (parts) => {
        const session = await real(parts)
        await session.exec("SET synchronous_commit = 'local'")
        return session
      }),
    ],
    finder: 'failover to a synchronous standby',
    size: 1,
  },
  {
    name: 'cancelled wait counted as success',
    places: [
      inSession((real) => async (parts) => {
        const session = await real(parts)
        return {
          ...session,
          queryInTime: async (...given) => ({ ...(await session.queryInTime(...given)), warning: undefined }),
        }
      }),
    ],
    finder: 'standby stands still',
    size: 1,
  },
  ...changePlants,
]

const withoutUniqueSignIds = `
  DO $$
  DECLARE named text;
  BEGIN
    FOR named IN SELECT conname FROM pg_constraint WHERE conrelid = 'credential'::regclass AND contype = 'u'
    LOOP EXECUTE format('ALTER TABLE credential DROP CONSTRAINT %I', named); END LOOP;
  END $$`
