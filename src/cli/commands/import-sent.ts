import { systemClock } from '#core/clock.ts'
import { Problem } from '#core/problem.ts'
import { bodyReaders } from '#http/message/body/validation.ts'
import type { JsonSchema } from '#http/message/schema.ts'
import type { Resource } from '#resources/resource.ts'

/**
 * Makes what a service is sent of a record. A service drops what it does not read, so a record of another form is refused
 * here, as an import into a database refuses it. Whatever depends on values is judged by the service.
 */
export const sentRecords = ({ imported, sent = asItIs }: Resource) => {
  const judge = bodyReaders(systemClock, 'UTC')(imported)
  const unused = new Set<string>()
  return {
    /** The ids and times in the file so far, for which the service assigns others. */
    unused: unused as ReadonlySet<string>,
    async read(record: unknown): Promise<object> {
      const kept = withoutAssigned(record, imported, (name) => unused.add(name))
      try {
        await judge(kept)
      } catch (error) {
        if (!(error instanceof Problem && error.kind !== 'bodyUnreadable')) throw error
      }
      return sent(kept as object)
    },
  }
}

const asItIs = (record: object) => record

/** Leaves out the fields that the service assigns, whatever they hold, and tells which they were. */
const withoutAssigned = (
  record: unknown,
  { properties = {} }: JsonSchema,
  leftOut: (name: string) => void,
): unknown => {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return record
  const kept = Object.entries(record).flatMap(([name, value]) => {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (field?.properties)
      return [[name, withoutAssigned(value, field, (inner) => leftOut(`${name}.${inner}`))] as const]
    if (!field?.assigned) return [[name, value] as const]
    if (value !== null) leftOut(name)
    return []
  })
  return Object.fromEntries(kept)
}
