import { memoizeByObject } from '#core/once.ts'
import { type JsonSchema, schemaName } from '#http/message/schema.ts'
import { flatten } from '#http/wire/flatten.ts'
import type { Format } from './format.ts'
import { jsonWriter } from './json-write.ts'
import { itemLinks, linksSchema } from './links.ts'
import { xmlElement, xmlPrologue } from './xml-write.ts'

export interface Presentation {
  readonly schema: JsonSchema
  readonly format: Format
  /** The URL of the item, if the item is shown with links. */
  readonly selfUrl?: string | undefined
  /** True if the schema has the fields that the caller selected. There are many such schemas, so their texts are not cached. */
  readonly hasSelectedFields?: boolean | undefined
}

/** Turns values into text by their schemas. A frozen value comes from a cache, so its texts are cached for as long as it lives. */
export const writer = (timeZone: string, { textsDependOn = [] as readonly unknown[] } = {}) => {
  const jsonOf = jsonWriter(timeZone)
  const texts = new WeakMap<object, CachedText>()

  const cachedText = (value: object, schema: JsonSchema, format: Format): string => {
    const newestText = texts.get(value)
    let candidate = newestText
    while (candidate && !(candidate.schema === schema && candidate.format === format))
      candidate = candidate.next
    if (candidate) return candidate.text
    const text = write(value, schema, format)
    if (Object.isFrozen(value)) texts.set(value, { schema, format, text: flatten(text), next: newestText })
    return text
  }

  const write = (value: object, schema: JsonSchema, format: Format): string => {
    const text = jsonOf(schema)(value)
    return format === 'xml' ? xmlElement(schemaName(schema), JSON.parse(text), schema) : text
  }

  const writeWithLinks = (value: object, { schema, format }: Presentation, self: string): string =>
    write({ ...value, links: itemLinks(self) }, withLinks(schema), format)

  const writeUncached = (value: object, presentation: Presentation): string =>
    presentation.selfUrl === undefined
      ? write(value, presentation.schema, presentation.format)
      : writeWithLinks(value, presentation, presentation.selfUrl)

  return {
    /** The settings that texts depend on, besides values and schemas. */
    settings: [timeZone, ...textsDependOn],

    /** One item as it appears in a list. */
    element: (value: object, presentation: Presentation): string =>
      presentation.selfUrl === undefined && !presentation.hasSelectedFields
        ? cachedText(value, presentation.schema, presentation.format)
        : writeUncached(value, presentation),

    /** As `element`, but does not cache the text: for values that are rarely shown again. */
    uncachedElement: writeUncached,

    document(value: object, presentation: Presentation): string {
      const text = this.element(value, presentation)
      return presentation.format === 'xml' ? xmlPrologue + text : text
    },
  }
}

export type Writer = ReturnType<typeof writer>

/** Makes one object per schema, because writers are cached by schema. */
const withLinks = memoizeByObject(
  (schema: JsonSchema): JsonSchema => ({
    ...schema,
    properties: { ...schema.properties, links: linksSchema },
  }),
)

/** The text of a value by one schema in one format, linked to the other texts of the same value. */
interface CachedText {
  readonly schema: JsonSchema
  readonly format: Format
  readonly text: string
  readonly next: CachedText | undefined
}
