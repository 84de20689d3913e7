import { randomInt } from 'node:crypto'
import type { PasswordRows } from '#resources/import-target.ts'
import type { Database } from '#sql/database.ts'
import { type Lists, listing } from '#sql/listing.ts'
import { raw, sql } from '#sql/query.ts'
import type { Encryption } from './encryption.ts'
import { passwordField } from './interpreting.ts'
import type { RowFilter } from './rows.ts'
import type { ImportPassword } from './schema.ts'

/** Lower-case letters and digits, without those that look alike. */
const characters = 'abcdefghjkmnpqrstuvwxyz23456789'

/** A password of 79 bits that is easy to read aloud, such as `k7mx-q4hn-w9dt-p3va`. */
export const newPassword = () =>
  Array.from({ length: 4 }, () =>
    Array.from({ length: 4 }, () => characters.charAt(randomInt(characters.length))).join(''),
  ).join('-')

/** Lists the generated passwords of an import that are still valid. Generated passwords are the only secrets in applied rows. */
export const passwordList = (
  db: Database,
  { openJson }: Encryption,
  { columns, join, hasFirstPassword }: PasswordRows,
): Lists<ImportPassword, RowFilter> => {
  const from = sql`import_row ${join}`
  const hasPassword = raw(`applied IS NOT NULL AND judged LIKE '%"secret":"%'`)
  return listing<ImportPassword, RowFilter>(db, {
    toItem: (row) => {
      const secret = openJson(JSON.parse(String(row.judged)).secret) as Record<typeof passwordField, string>
      return {
        line: Number(row.line),
        recordId: String(row.record_id),
        signId: String(row.sign_id),
        firstName: String(row.first_name),
        lastName: String(row.last_name),
        password: secret[passwordField],
        version: 1,
      }
    },
    sortable: { line: { column: 'line', nullAs: 0 } },
    position: 'line',
    select: ({ importId = '' }) => ({
      select: sql`SELECT line, record_id, judged, ${columns}`,
      from,
      count: sql`SELECT count(*) AS total FROM ${from}`,
      where: sql`import_id = ${importId} AND ${hasPassword} AND ${hasFirstPassword}`,
      position: 'line',
      isIndexed: false,
    }),
  })
}
