import { onceFor } from '#core/once.ts'
import { type JsonSchema, schemaName } from '#http/message/schema.ts'
import { flatten } from '#http/wire/flatten.ts'
import type { Form } from './form.ts'
import { jsonWriter } from './json-write.ts'
import { itemLinks, linksSchema } from './links.ts'
import { xmlElement, xmlPrologue } from './xml-write.ts'

export interface Presentation {
  readonly schema: JsonSchema
  readonly form: Form
  /** The item's own address, if its links are wanted. */
  readonly linkedAs?: string | undefined
  /** Whether the caller chose the schema. There are many such schemas, so their texts are not cached. */
  readonly isChosen?: boolean | undefined
}

/** Turns values into text by their schemas. Frozen values are cached ones, so their texts are cached as long as they are. */
export const writer = (timeZone: string, settings: readonly unknown[] = []) => {
  const jsonOf = jsonWriter(timeZone)
  const textsOf = new WeakMap<object, ReadyText>()

  const cached = (value: object, schema: JsonSchema, form: Form): string => {
    const first = textsOf.get(value)
    let ready = first
    while (ready && !(ready.schema === schema && ready.form === form)) ready = ready.next
    if (ready) return ready.text
    const text = write(value, schema, form)
    if (Object.isFrozen(value)) textsOf.set(value, { schema, form, text: flatten(text), next: first })
    return text
  }

  const write = (value: object, schema: JsonSchema, form: Form): string => {
    const text = jsonOf(schema)(value)
    return form === 'xml' ? xmlElement(schemaName(schema), JSON.parse(text), schema) : text
  }

  const linked = (value: object, { schema, form }: Presentation, self: string): string =>
    write({ ...value, links: itemLinks(self) }, withLinks(schema), form)

  const oneOff = (value: object, presentation: Presentation): string =>
    presentation.linkedAs === undefined
      ? write(value, presentation.schema, presentation.form)
      : linked(value, presentation, presentation.linkedAs)

  return {
    /** The settings that texts depend on, besides values and schemas. */
    settings,

    /** One item as it appears in a list. */
    element: (value: object, presentation: Presentation): string =>
      presentation.linkedAs === undefined && !presentation.isChosen
        ? cached(value, presentation.schema, presentation.form)
        : oneOff(value, presentation),

    /** The same for a value that is hardly shown again: its text is not cached. */
    oneOffElement: oneOff,

    document(value: object, presentation: Presentation): string {
      const text = this.element(value, presentation)
      return presentation.form === 'xml' ? xmlPrologue + text : text
    },
  }
}

export type Writer = ReturnType<typeof writer>

/** Made once per schema, because writers are cached by schema. */
const withLinks = onceFor(
  (schema: JsonSchema): JsonSchema => ({
    ...schema,
    properties: { ...schema.properties, links: linksSchema },
  }),
)

/** One text of a value, linked to those made before. */
interface ReadyText {
  readonly schema: JsonSchema
  readonly form: Form
  readonly text: string
  readonly next: ReadyText | undefined
}
