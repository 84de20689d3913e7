import { systemClock } from '#core/clock.ts'
import { cellOf } from '#core/csv.ts'
import { Problem } from '#core/problem.ts'
import { bodyReaders } from '#http/body/validation.ts'
import type { JsonSchema } from '#http/schema.ts'
import { importedInstant, statedId } from '#resources/imported.ts'

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
      // A value that the service will refuse is reported rather than an id, as in a database.
      if (judged instanceof Problem) return sent
      for (const { name, read } of assigned)
        if (read(name, cellOf(sent, name) ?? null) !== undefined) unused.add(name)
      return sent
    },
  }
}

interface Assigned {
  readonly name: string
  /** Its value; throws if it has the wrong form. */
  readonly read: typeof statedId | typeof importedInstant
}

const readers: Readonly<Record<string, Assigned['read']>> = { uuid: statedId, 'date-time': importedInstant }

const assignedFields = ({ properties = {} }: JsonSchema): readonly Assigned[] =>
  Object.entries(properties).flatMap(([name, field]) => {
    if (field.properties)
      return assignedFields(field).map((inner) => ({ ...inner, name: `${name}.${inner.name}` }))
    const read = readers[field.format ?? '']
    return read ? { name, read } : []
  })

/** A service does not know the field, not even where it is null. */
const withoutHash = (record: object) => {
  const { credential } = record as { readonly credential?: Readonly<Record<string, unknown>> | null }
  if (credential?.passwordHash === undefined) return record
  const { passwordHash, ...sent } = credential
  if (passwordHash === null) return { ...record, credential: sent }
  throw new Error('A service accepts no password hash: import the record into the database instead.')
}
