import { escapeFormula, valueAt, writeCsv } from './csv.ts'

/** A field of a record, as the console and exports for people show it. */
export interface DisplayField {
  /** A path, such as `credential.signId`. */
  readonly name: string
  readonly label: string
  readonly kind: string
  /** The texts for the codes of a code list, or for true and false. */
  readonly texts?: Readonly<Record<string, string>> | undefined
}

/** Formats values of each kind for one medium. */
export interface ValueFormat<T> {
  text(text: string): T
  whole(number: number): T
  day(day: string): T
  time(instant: string): T
  /** The name of the referenced record. */
  nameOf(id: string): string
}

/** Formats a value for people: codes and references become names. */
export const formatValue = <T>(
  field: Pick<DisplayField, 'kind' | 'texts'>,
  value: unknown,
  format: ValueFormat<T>,
): T => {
  const { kind, texts } = field
  const text = String(value)
  if (texts) return format.text(texts[text] ?? text)
  if (text === '') return format.text(text)
  if (kind === 'day') return format.day(text)
  if (kind === 'time') return format.time(text)
  if (kind === 'whole') return format.whole(Number(text))
  return format.text(kind === 'reference' ? format.nameOf(text) : text)
}

/** A table of records for people. */
export interface DisplayTable extends Pick<ValueFormat<string>, 'nameOf'> {
  readonly title: string
  readonly columns: readonly DisplayField[]
  readonly batches: AsyncIterable<readonly object[]>
}

/** The cells of a record. A cell without a value is undefined. */
export const formatCells = <T>(columns: readonly DisplayField[], record: object, format: ValueFormat<T>) =>
  columns.map((column) => {
    const value = valueAt(record, column.name)
    return (value ?? '') === '' ? undefined : formatValue(column, value, format)
  })

/** A byte order mark tells spreadsheets that a file is UTF-8. */
export const byteOrderMark = '\uFEFF'

/** Writes a table as CSV for spreadsheets. A text that looks like a formula stays a text. */
export async function* displayCsv(
  { columns, batches, nameOf }: DisplayTable,
  dates: Pick<ValueFormat<string>, 'day' | 'time'>,
): AsyncGenerator<string> {
  const format = { ...dates, nameOf, text: escapeFormula, whole: String }
  yield byteOrderMark + writeCsv(columns.map(({ label }) => escapeFormula(label)))
  for await (const batch of batches)
    yield batch.map((record) => writeCsv(formatCells(columns, record, format))).join('')
}

export type TitleField = Pick<DisplayField, 'name' | 'kind'> & {
  readonly isNullable: boolean
  /** The resource that the field refers to. */
  readonly of?: string | undefined
}

/** True if the value of the field is free text. */
export const isText = ({ kind }: Pick<DisplayField, 'kind'>) => kind === 'text' || kind === 'email'

/**
 * The fields that make the title of a record: its text fields, first those that are never null. If every text field may be null,
 * also the references to resources for which `isEarlier` is true: those listed before, so that no title needs itself.
 */
export const chooseTitleFields = <F extends TitleField>(
  fields: readonly F[],
  isEarlier: (resource: string) => boolean,
): readonly F[] => {
  const [required = [], nullable = []] = [false, true].map((isNullable) =>
    fields.filter((field) => isText(field) && field.isNullable === isNullable),
  )
  if (required.length > 0) return [...required, ...nullable]
  return [...nullable, ...fields.filter(({ of }) => of !== undefined && isEarlier(of))]
}

type Values = Readonly<Record<string, unknown>>

const firstTextOf = (fields: readonly Pick<TitleField, 'name' | 'kind'>[], record: Values) =>
  fields
    .filter(isText)
    .map(({ name }) => record[name])
    .find((text) => typeof text === 'string' && text !== '')

/** The records (resource and id) whose titles make the title of a record that has no text of its own, otherwise none. */
export const titleReferencesOf = (
  fields: readonly Pick<TitleField, 'name' | 'kind' | 'of'>[],
  record: Values,
) =>
  firstTextOf(fields, record) === undefined
    ? fields.flatMap(({ name, of }) => (of && record[name] ? [[of, String(record[name])] as const] : []))
    : []

/** The title of a record: the first text of its title fields, otherwise the titles of the records that it refers to, otherwise the end of its id. */
export const titleFrom = (
  fields: readonly Pick<TitleField, 'name' | 'kind' | 'of'>[],
  record: Values,
  { id, nameOf }: Pick<ValueFormat<string>, 'nameOf'> & { readonly id: string },
): string => {
  const others = titleReferencesOf(fields, record).map(([, id]) => nameOf(id))
  return String(firstTextOf(fields, record) ?? (others.join(' · ') || `…${id.slice(-6)}`))
}

/** The full name in the order of the language. In East Asian scripts, the family name always comes first. */
export const fullNameOf = (given: string, family: string, language: string): string =>
  language === 'ja' || familyFirst.test(family + given) ? `${family} ${given}` : `${given} ${family}`

const familyFirst = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

export const yesAndNo = { en: { true: 'Yes', false: 'No' }, ja: { true: 'はい', false: 'いいえ' } }
