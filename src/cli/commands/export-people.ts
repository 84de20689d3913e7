import { kindOf } from '#console/described.ts'
import {
  chooseTitleFields,
  type DisplayTable,
  displayCsv,
  fullNameOf,
  titleFrom,
  yesAndNo,
} from '#core/display.ts'
import type { Locale } from '#core/locale.ts'
import { isNullable } from '#core/schema.ts'
import { displaySheet } from '#core/sheet.ts'
import { asLabel } from '#resources/machine/labels.ts'
import type { Resource } from '#resources/resource.ts'
import { UsageError } from '#src/cli/exit.ts'
import { schemasIn } from '#src/cli/fields.ts'
import type { ExportSource, OpenSource } from './export.ts'

interface PeopleChoices {
  readonly locale: Locale
  readonly timeZone: string
  /** The fields to write. Undefined: those that have a label. */
  readonly columns: readonly string[] | undefined
  readonly resources: readonly Resource[]
  readonly openSource: OpenSource
}

/** Returns a function that writes records as a table for people. Keeps in memory the names of all records to which they may refer. */
export const peopleTable = async (resource: Resource, { fields }: ExportSource, choices: PeopleChoices) => {
  const { locale, timeZone, columns: chosen } = choices
  const { many, fields: labels } = resource.labels[locale]
  const known = columnsOf(resource, locale).filter(({ name }) => fields.length === 0 || fields.includes(name))
  const columns = (chosen ?? known.map(({ name }) => name).filter((name) => name in labels)).map((name) => {
    const column = known.find((one) => one.name === name)
    if (column) return column
    throw new UsageError(
      `There is no column ${name}: choose from ${known.map((one) => one.name).join(', ')}.`,
    )
  })
  const names = new Map<string, string>()
  const referenced = new Set(columns.flatMap((column) => column.of ?? []))
  for (const resourceName of referenced) await addNames(names, resourceName, choices)
  const nameOf = (id: string) => names.get(id) ?? id
  return (batches: ExportSource['batches'], isSheet: boolean): AsyncIterable<string | Uint8Array> => {
    const table: DisplayTable = { title: many, columns, batches, nameOf }
    return isSheet ? displaySheet(table, timeZone) : displayCsv(table, datesIn(locale, timeZone))
  }
}

const columnsOf = ({ fileSchema, labels }: Resource, locale: Locale) => {
  const { fields } = labels[locale]
  const schemas = schemasIn(fileSchema, ({ writeOnly, isHash }) => !writeOnly && !isHash)
  return schemas.map(([name, schema]) => {
    const { reference, 'x-extensible-enum': codes = [] } = schema
    const kind = kindOf(schema)
    const codeTexts = codes.map((code) => [code, fields[`${name}.${code}`]?.label ?? code])
    return {
      name,
      kind,
      of: reference,
      isNullable: isNullable(schema),
      label: fields[name]?.label ?? asLabel(name.replace(/^.*\./, '')),
      texts: kind === 'flag' ? yesAndNo[locale] : kind === 'code' ? Object.fromEntries(codeTexts) : undefined,
    }
  })
}

/** Adds the names of all records of a resource. Names may consist of names of other records, so those are added first. */
const addNames = async (names: Map<string, string>, resourceName: string, choices: PeopleChoices) => {
  const { resources, openSource, locale } = choices
  const index = resources.findIndex(({ name }) => name === resourceName)
  const { [index]: resource } = resources
  if (!resource) return
  // Uses only earlier resources, so that cycles of references end.
  const isEarlier = (other: string) => resources.slice(0, index).some(({ name }) => name === other)
  const titles = chooseTitleFields(columnsOf(resource, locale), isEarlier)
  for (const title of titles) if (title.of) await addNames(names, title.of, choices)
  const { batches } = await openSource(resource, true)
  for await (const batch of batches)
    for (const record of batch as readonly Readonly<Record<string, string>>[]) {
      const id = record[`${resourceName}Id`] ?? ''
      const { firstName, lastName } = record
      const isPerson = resourceName === 'member' && firstName !== undefined && lastName !== undefined
      const nameOf = (id: string) => names.get(id) ?? id
      names.set(
        id,
        isPerson ? fullNameOf(firstName, lastName, locale) : titleFrom(titles, record, { id, nameOf }),
      )
    }
}

const datesIn = (locale: Locale, timeZone: string) => {
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  const time = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone })
  return {
    day: (text: string) => day.format(new Date(text)),
    time: (text: string) => time.format(new Date(text)),
  }
}
