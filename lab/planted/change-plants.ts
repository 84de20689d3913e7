import type { Changes } from '../../src/http/api/change.ts'
import { changeCursor } from '../../src/http/api/change-cursor.ts'
import type { LogEntry } from '../../src/sql/log-table.ts'
import { inModule, type Plant } from './plant.ts'

/** The log is read in another way. */
const reading = (otherwise: (log: Changes) => Changes['read']) =>
  inModule<typeof import('../../src/ledger/change-reader.ts')>('ledger/change-reader.ts', {
    openChanges: (real) => (parts) => {
      const log = real(parts)
      return { ...log, read: otherwise(log) }
    },
  })

const onSqlite = { finder: 'changes at a killed service', size: 0.1 }
const onPostgres = { finder: 'changes at two instances, one killed', size: 0.1 }

/** Of writes that were rolled back. */
const orphans: LogEntry[] = []

/** Mistakes in the feed of changes. */
export const changePlants: readonly Plant[] = [
  {
    name: 'a number drawn before the commit',
    places: [
      inModule<typeof import('../../src/app/migrations.ts')>('app/migrations.ts', {
        migrateAll: (real) => async (db) => {
          const applied = await real(db)
          await db.alter((tx) => tx.exec(numberedBySequence))
          return applied
        },
      }),
    ],
    ...onPostgres,
  },
  {
    name: 'the time as position',
    places: [
      reading((log) => async (after, filter, size) => {
        const [page, before] = await Promise.all([
          log.read(after, filter, size),
          log.read({ ...after, number: after.number - 1, idSuffix: '' }, {}, 1),
        ])
        const time = after.idSuffix === '' ? 0 : (before?.changes[0]?.time ?? 0)
        return page && { ...page, changes: page.changes.filter((change) => change.time > time) }
      }),
    ],
    ...onSqlite,
  },
  {
    name: 'the cursor of a list taken after its rows',
    places: [
      inModule<typeof import('../../src/http/api/list.ts')>('http/api/list.ts', {
        listAnswers: (real) => (route, list, rules) => {
          const answered = real(route, list, rules)
          return async (visit) => {
            const { headers, ...answer } = await answered(visit)
            const later = changeCursor(rules.cursors, await rules.changes.latest())
            const at = headers.indexOf('Change-Cursor')
            return { ...answer, headers: at < 0 ? headers : headers.with(at + 1, later) }
          }
        },
      }),
    ],
    ...onSqlite,
  },
  {
    name: 'what was swept passed over in silence',
    places: [
      reading((log) => async (after, filter, size) => {
        const oldest = await log.oldest()
        return log.read(after.number < oldest.number ? oldest : after, filter, size)
      }),
    ],
    ...onSqlite,
  },
  {
    name: 'a cursor of the future accepted',
    places: [
      reading((log) => async (after, filter, size) => {
        const { number } = await log.latest()
        const nothing = { changes: [], position: after, hasMore: false }
        return after.number > number ? nothing : log.read(after, filter, size)
      }),
    ],
    ...onSqlite,
  },
  {
    name: 'a unit split between answers',
    places: [
      inModule<typeof import('../../src/http/api/change.ts')>('http/api/change.ts', {
        isSameUnit: () => () => false,
      }),
    ],
    ...onSqlite,
  },
  {
    name: 'a batch in steps',
    places: [
      inModule<typeof import('../../src/http/api/batch.ts')>('http/api/batch.ts', {
        batchAnswers: (real) => (rules, begin) =>
          real({ ...rules, unit: (work) => work({ beforeFirstWrite: () => undefined }) }, begin),
      }),
    ],
    ...onSqlite,
  },
  {
    name: 'a commit entered backwards',
    places: [
      inModule<typeof import('../../src/sql/sqlite/append.ts')>('sql/sqlite/append.ts', {
        appendEntries: (real) => (writer, entries) => real(writer, entries.toReversed()),
      }),
    ],
    ...onSqlite,
  },
  {
    name: 'a change of what was rolled back',
    places: [
      inModule<typeof import('../../src/sql/sqlite/transaction.ts')>('sql/sqlite/transaction.ts', {
        QueuedTransaction: (Real) =>
          class extends Real {
            override async run(...given: Parameters<InstanceType<typeof Real>['run']>) {
              try {
                const value = await super.run(...given)
                if (this.entries.length > 0) this.entries.push(...orphans.splice(0))
                return value
              } catch (error) {
                orphans.push(...this.entries)
                throw error
              }
            }
          },
      }),
    ],
    ...onSqlite,
  },
  {
    name: 'two deliverers of webhooks',
    places: [
      inModule<typeof import('../../src/ledger/lease.ts')>('ledger/lease.ts', {
        lease: (real) => (parts) => ({ ...real(parts), acquire: async () => true }),
      }),
    ],
    ...onPostgres,
  },
]

/** The pauses let a later number be committed before an earlier one. */
const numberedBySequence = `
  CREATE SEQUENCE IF NOT EXISTS change_number;
  DO $$
  BEGIN
    EXECUTE replace(replace(replace(pg_get_functiondef('enter_change'::regproc),
      'PERFORM pg_advisory_xact_lock(1382838371);', 'PERFORM pg_advisory_lock(1);'),
      'next := coalesce(last.number, 0);', 'next := nextval(''change_number'') - 1;
        PERFORM setval(''change_number'', next + cardinality(entries)), pg_advisory_unlock(1);'),
      'PERFORM pg_notify', 'PERFORM pg_sleep(random() / 50); PERFORM pg_notify');
  END $$`
