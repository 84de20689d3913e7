import { formatUtc, formatWithOffset } from '#core/formats.ts'
import { memoizeByObject } from '#core/once.ts'
import type { JsonSchema } from '#http/message/schema.ts'

/**
 * Makes functions that write the fields of a schema and no others, and instants as text. JSON.stringify would take more than
 * twice as long: here the names are known in advance, and no object is built.
 */
export const jsonWriter = (timeZone: string) => {
  const writerOf: (schema: JsonSchema) => Write = memoizeByObject(
    ({ properties, items, zone }: JsonSchema): Write => {
      if (properties) return orNull(fieldsWriter(properties, writerOf))
      if (items) return orNull(itemsWriter(writerOf(items)))
      // A time that we formatted ourselves needs no escaping.
      if (zone === 'utc') return orNull((instant) => `"${formatUtc(Number(instant))}"`)
      if (zone === 'local') return orNull((instant) => `"${formatWithOffset(Number(instant), timeZone)}"`)
      return writeScalar
    },
  )
  return writerOf
}

type Write = (value: unknown) => string

const orNull =
  (write: Write): Write =>
  (value) =>
    value === null ? 'null' : write(value)

/** Undefined fields are left out. */
const fieldsWriter = (
  properties: Readonly<Record<string, JsonSchema>>,
  writerOf: (schema: JsonSchema) => Write,
): Write => {
  const fields = Object.entries(properties).map(([name, schema]) => ({
    name,
    firstPrefix: `{${JSON.stringify(name)}:`,
    laterPrefix: `,${JSON.stringify(name)}:`,
    write: writerOf(schema),
  }))
  return (value) => {
    let text = ''
    for (const { name, firstPrefix, laterPrefix, write } of fields) {
      const field = (value as Readonly<Record<string, unknown>>)[name]
      if (field !== undefined) text += (text === '' ? firstPrefix : laterPrefix) + write(field)
    }
    return text === '' ? '{}' : `${text}}`
  }
}

const itemsWriter =
  (write: Write): Write =>
  (values) =>
    `[${(values as readonly unknown[]).map(write).join()}]`

const writeScalar: Write = (value) => JSON.stringify(value)
