import { ask, askForRead, walk, walkSize } from '#console/app/api/ask.ts'
import {
  type DeclaredRecord,
  labelOf,
  labelsNow,
  recordsOf,
  titleFields,
  titleOfRecord,
} from '#console/app/api/declared.ts'
import { seesOnlyNames } from '#console/app/api/members.ts'
import { type Field, isText } from '#console/app/records/field.ts'
import type { Kind } from '#console/app/records/kind.ts'
import type { ListQuery } from '#console/app/records/query.ts'
import { recordWords } from '#console/app/records/words.ts'
import { wordsNow } from '#console/app/words/index.ts'
import { displayText } from '#console/app/words/visible.ts'
import type { DescribedField, DescribedResource } from '#console/description.ts'
import { Picker } from './picker.tsx'

/** The longest text that the service searches for. */
const maxSearchLength = 256

/** A declared resource, for the pages that every kind of record has. */
export const declaredKind = (resource: DescribedResource): Kind<DeclaredRecord> => {
  const { name, plural, fields, access } = resource
  const id = `${name}Id`
  const records = recordsOf(resource)
  const labels = () => labelsNow(resource)
  const formField = (field: DescribedField): Field => ({
    name: field.name,
    label: labelOf(resource, field.name),
    kind: field.kind,
    isOptional: field.isNullable,
    mayBeEmpty: !field.isNullable && field.kind === 'text' && field.min === 0,
    hint: labels().fields[field.name]?.about,
    of: field.of,
    ...textsOf(field),
  })
  const own = () => fields.map(formField)
  const shown = (name: string, kind: Field['kind']): Field => ({ name, label: labelOf(resource, name), kind })
  const [titled] = titleFields(resource)
  return {
    name,
    plural,
    icon: 'file',
    searchedBy: 'q',
    longest: titled ? maxSearchLength : 0,
    sort: `${id},desc`,
    words: () => ({
      ...recordWords({ one: small(labels().one), many: small(labels().many) }),
      title: labels().many,
    }),
    idOf: (record) => String(record[id]),
    titleOf: (record) => displayText(titleOfRecord(resource, record), wordsNow()),
    form: () => [{ title: labels().one, fields: own() }],
    record: () => [
      { title: labels().one, fields: own() },
      {
        title: wordsNow().members.sections.record,
        fields: [shown(id, 'id'), shown('createdAt', 'time'), shown('lastModifiedAt', 'time')],
      },
    ],
    columns: () => [
      titled ? formField(titled) : shown(id, 'id'),
      ...own().filter((field) => field.name !== titled?.name),
      shown('createdAt', 'time'),
      shown('lastModifiedAt', 'time'),
    ],
    filters: () => own().flatMap(filtersOf).toSorted(byText),
    isServed: () => true,
    may: (right) => !seesOnlyNames.get() || access.includes(right === 'filter' ? 'read' : right),
    picker: Picker,
    find: ({ page, size, ...query }, options, before) =>
      askForRead(
        () => records.page({ ...soughtBy(query), page, size }, { signal: options.signal, known: before }),
        options,
        before,
      ),
    walk: (query, signal) =>
      walk((cursor) => records.pages({ ...soughtBy(query), size: walkSize, cursor }, { signal })),
    read: (id, options = {}, before) =>
      askForRead(() => records.get(before ?? id, { signal: options.signal }), options, before),
    update: (known, values) => ask(() => records.update(known, values)),
    remove: (known) => ask(() => records.remove(known)),
  }
}

/** A label as it is written within a sentence. */
const small = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)

/** Filters by a part of a text come last, because the search finds texts too. */
const byText = (one: Field, other: Field) => Number(isText(one)) - Number(isText(other))

const textsOf = ({ kind, codes }: DescribedField): Pick<Field, 'texts' | 'order'> => {
  if (kind === 'flag') return { texts: wordsNow().form.yesNo }
  return codes ? { texts: Object.fromEntries(codes.map((code) => [code, code])), order: codes } : {}
}

/** A day or a time is filtered by two days. */
const filtersOf = (field: Field): readonly Field[] => {
  const { from, to } = wordsNow().list
  if (field.kind !== 'day' && field.kind !== 'time') return [field]
  return [
    { ...field, name: `${field.name}From`, label: from(field.label) },
    { ...field, name: `${field.name}To`, label: to(field.label) },
  ]
}

const soughtBy = ({ text, sort, filters }: Pick<ListQuery, 'text' | 'sort' | 'filters'>) => ({
  ...filters,
  sort: sort as `${string},asc`,
  ...(text && { q: text }),
})

/** The values that the form of a new record begins with. */
export const startingOf = ({ fields }: DescribedResource): object =>
  Object.fromEntries(
    fields.map(({ name, kind, isNullable, starting }) => [
      name,
      starting ?? (kind === 'flag' && !isNullable ? false : null),
    ]),
  )
