import { defused, valueAt, writeCsv } from './csv.ts'

/** A field of a record, as people see it. */
export interface PeopleField {
  /** A path, such as `credential.signId`. */
  readonly name: string
  readonly label: string
  readonly kind: string
  /** The names of the codes, or of true and false. */
  readonly texts?: Readonly<Record<string, string>> | undefined
}

/** How values of each kind are written. */
export interface ValueFormat<T> {
  text(text: string): T
  whole(number: number): T
  day(day: string): T
  time(instant: string): T
  /** The name of the referenced record. */
  named(id: string): string
}

/** A value as people read it: codes and references by their names. */
export const formatted = <T>(
  field: Pick<PeopleField, 'kind' | 'texts'>,
  value: unknown,
  as: ValueFormat<T>,
): T => {
  const { kind, texts } = field
  const text = String(value)
  if (texts) return as.text(texts[text] ?? text)
  if (text === '') return as.text(text)
  if (kind === 'day') return as.day(text)
  if (kind === 'time') return as.time(text)
  if (kind === 'whole') return as.whole(Number(text))
  return as.text(kind === 'reference' ? as.named(text) : text)
}

/** Records for people, in batches. */
export interface PeopleTable extends Pick<ValueFormat<string>, 'named'> {
  readonly title: string
  readonly columns: readonly PeopleField[]
  readonly batches: AsyncIterable<readonly object[]>
}

/** The cells of a record; undefined where it has no value. */
export const cellsOf = <T>(columns: readonly PeopleField[], record: object, as: ValueFormat<T>) =>
  columns.map((column) => {
    const value = valueAt(record, column.name)
    return value === null || value === undefined || value === '' ? undefined : formatted(column, value, as)
  })

/** A byte order mark tells spreadsheets that a file is UTF-8. */
export const byteOrderMark = '\uFEFF'

/** Writes a table as CSV for spreadsheets. A text that looks like a formula stays a text. */
export async function* peopleCsv(
  { columns, batches, named }: PeopleTable,
  dates: Pick<ValueFormat<string>, 'day' | 'time'>,
): AsyncGenerator<string> {
  const as = { ...dates, named, text: defused, whole: String }
  yield byteOrderMark + writeCsv(columns.map(({ label }) => defused(label)))
  for await (const batch of batches)
    yield batch.map((record) => writeCsv(cellsOf(columns, record, as))).join('')
}

type TitleField = Pick<PeopleField, 'name' | 'kind'> & {
  readonly isNullable: boolean
  /** The resource that it refers to. */
  readonly of?: string | undefined
}

/** Whether people write the field as text. */
export const isText = ({ kind }: Pick<PeopleField, 'kind'>) => kind === 'text' || kind === 'email'

/**
 * The fields that name a record: its texts, first those that are never null. Without one that is never null, also its references
 * to other resources, as far as `mayName` allows them.
 */
export const titleFieldsIn = <F extends TitleField>(
  fields: readonly F[],
  mayName: (resource: string) => boolean,
): readonly F[] => {
  const [required = [], nullable = []] = [false, true].map((isNullable) =>
    fields.filter((field) => isText(field) && field.isNullable === isNullable),
  )
  if (required.length > 0) return [...required, ...nullable]
  return [...nullable, ...fields.filter(({ of }) => of !== undefined && mayName(of))]
}

type Values = Readonly<Record<string, unknown>>

const textIn = (fields: readonly Pick<TitleField, 'name' | 'kind'>[], record: Values) =>
  fields
    .filter(isText)
    .map(({ name }) => record[name])
    .find((text) => typeof text === 'string' && text !== '')

/** The records that name this one, because it has no text: their resources and ids. */
export const namedBy = (fields: readonly Pick<TitleField, 'name' | 'kind' | 'of'>[], record: Values) =>
  textIn(fields, record) === undefined
    ? fields.flatMap(({ name, of }) => (of && record[name] ? [[of, String(record[name])] as const] : []))
    : []

/** The title of a record: the first text of its title fields, otherwise what it refers to, otherwise the end of its id. */
export const titleIn = (
  fields: readonly Pick<TitleField, 'name' | 'kind' | 'of'>[],
  record: Values,
  { id, named }: Pick<ValueFormat<string>, 'named'> & { readonly id: string },
): string => {
  const others = namedBy(fields, record).map(([, id]) => named(id))
  return String(textIn(fields, record) ?? (others.join(' · ') || `…${id.slice(-6)}`))
}

/** Both parts of a name in the order of this language. East Asian scripts always put the family name first. */
export const nameInOrder = (given: string, family: string, language: string): string =>
  language === 'ja' || familyFirst.test(family + given) ? `${family} ${given}` : `${given} ${family}`

const familyFirst = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

export const yesAndNo = { en: { true: 'Yes', false: 'No' }, ja: { true: 'はい', false: 'いいえ' } }
