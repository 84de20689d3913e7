import { systemClock } from '#core/clock.ts'
import { cellOf } from '#core/csv.ts'
import { Problem } from '#core/problem.ts'
import { bodyReaders } from '#http/body/validation.ts'
import type { JsonSchema } from '#http/schema.ts'

/**
 * Makes what a service is sent of a record. A service drops what it does not read, so a record of another form is refused
 * here, as an import into a database refuses it. Whatever depends on values is judged by the service.
 */
export const sentRecords = (imported: JsonSchema) => {
  const judge = bodyReaders(systemClock, 'UTC')(imported)
  const assigned = assignedFields(imported)
  const unused = new Set<string>()
  return {
    /** The ids and times in the file so far, for which the service assigns others. */
    unused: unused as ReadonlySet<string>,
    async read(record: unknown): Promise<object> {
      const judged = await judge(record)
      if (judged instanceof Problem && judged.kind === 'bodyUnreadable') throw judged
      const sent = withoutHash(record as object)
      for (const field of assigned) if (cellOf(sent, field) !== undefined) unused.add(field)
      return sent
    },
  }
}

const assignedFields = ({ properties = {} }: JsonSchema): readonly string[] =>
  Object.entries(properties).flatMap(([name, field]) => {
    if (field.properties) return assignedFields(field).map((inner) => `${name}.${inner}`)
    return field.format === 'uuid' || field.format === 'date-time' ? name : []
  })

/** A service does not know the field, not even where it is null. */
const withoutHash = (record: object) => {
  const { credential } = record as { readonly credential?: Readonly<Record<string, unknown>> | null }
  if (credential?.passwordHash === undefined) return record
  const { passwordHash, ...sent } = credential
  if (passwordHash === null) return { ...record, credential: sent }
  throw new Error('A service accepts no password hash: import the record into the database instead.')
}
