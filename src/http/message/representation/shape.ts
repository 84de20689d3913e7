import { formatUtc, formatWithOffset } from '#core/formats.ts'
import { onceFor } from '#core/once.ts'
import type { JsonSchema } from '#http/message/schema.ts'

/** Turns a value into what an answer shows of it: the named fields and no others, instants as text. */
export type Shape = (value: unknown) => unknown

export type ShapeOf = (schema: JsonSchema) => Shape

export const shapes = (timeZone: string): ShapeOf => {
  const shapeOf: ShapeOf = onceFor((schema: JsonSchema): Shape => {
    if (schema.properties) return objectShape(schema.properties, shapeOf)
    if (schema.items) return orNull(arrayShape(shapeOf(schema.items)))
    if (schema.zone === 'utc') return orNull((instant) => formatUtc(Number(instant)))
    if (schema.zone === 'local') return orNull((instant) => formatWithOffset(Number(instant), timeZone))
    return unchanged
  })
  return shapeOf
}

const unchanged: Shape = (value) => value

const orNull =
  (shape: Shape): Shape =>
  (value) =>
    value === null ? null : shape(value)

const objectShape = (properties: Readonly<Record<string, JsonSchema>>, shapeOf: ShapeOf): Shape => {
  const fields = Object.entries(properties).map(([name, schema]) => ({ name, shape: shapeOf(schema) }))
  return (value) => {
    if (value === null) return null
    const shown: Record<string, unknown> = {}
    for (const { name, shape } of fields) shown[name] = shape((value as Record<string, unknown>)[name])
    return shown
  }
}

const arrayShape =
  (item: Shape): Shape =>
  (values) =>
    (values as readonly unknown[]).map(item)
