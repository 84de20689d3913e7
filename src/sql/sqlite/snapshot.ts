import { storageUnavailable } from '#core/problem.ts'
import type { Row } from '#sql/database.ts'
import { type Query, raw } from '#sql/query.ts'
import type { Connection } from './connection.ts'

export type Snapshot = ReturnType<typeof snapshot>

/**
 * The last durable state, which this thread reads. The reader keeps its transaction open until the next state is durable. This
 * is also cheaper: beginning a transaction for each read would cost a third of a short read.
 */
export const snapshot = (reader: Connection) => {
  let isHeld = false
  const renew = () => {
    isHeld = false
    if (reader.inTransaction()) reader.command('ROLLBACK')
  }

  const rows = (query: Query): Row[] => {
    if (!reader.inTransaction()) {
      if (isHeld) throw storageUnavailable(new Error('the last durable state was lost'))
      reader.command('BEGIN')
    }
    try {
      return reader.rows(query)
    } catch (error) {
      if (!isHeld) renew()
      throw error
    }
  }

  return {
    rows,

    /** From now until `renew`, reads the present state, even after commits. */
    hold() {
      if (!reader.inTransaction()) rows(schemaVersion)
      isHeld = true
    },

    renew,
  }
}

const schemaVersion = raw('PRAGMA schema_version')
