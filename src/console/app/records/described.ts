import { labelOf, labelsNow } from '#console/app/api/declared.ts'
import { wordsNow } from '#console/app/words/index.ts'
import type { DescribedField, DescribedResource } from '#console/description.ts'
import { isText } from '#core/display.ts'
import type { Field } from './kind.ts'

/** Texts that may be longer have a field with several lines. */
const longestLine = 256

/** The fields of a declared resource, for forms and tables. */
export const describedFields = (resource: DescribedResource): readonly Field[] =>
  resource.fields.map((field) => ({
    name: field.name,
    label: labelOf(resource, field.name),
    kind: field.kind,
    isOptional: field.isNullable,
    canBeEmpty: !field.isNullable && field.kind === 'text' && field.min === 0,
    isLong: field.kind === 'text' && (field.max ?? 0) > longestLine,
    hint: labelsNow(resource).fields[field.name]?.about,
    of: field.of,
    ...textsOf(resource, field),
  }))

const textsOf = (resource: DescribedResource, field: DescribedField): Pick<Field, 'texts' | 'order'> => {
  const { name, kind, codes } = field
  if (kind === 'flag') return { texts: wordsNow().form.yesNo }
  if (!codes) return {}
  const { fields } = labelsNow(resource)
  const texts = codes.map((code) => [code, fields[`${name}.${code}`]?.label ?? code])
  return { texts: Object.fromEntries(texts), order: codes }
}

/** The filters for these fields. Filters for texts come last, because the search finds texts too. */
export const filtersBy = (fields: readonly Field[]): readonly Field[] =>
  fields.flatMap(filtersOf).toSorted((one, other) => Number(isText(one)) - Number(isText(other)))

/** The filters for one field. A day or a time has two, for a range. An optional day, time or reference has one more, for null. */
const filtersOf = (field: Field): readonly Field[] => {
  const { from, to, none } = wordsNow().list
  const { name, label, kind, isOptional } = field
  const isRange = kind === 'day' || kind === 'time'
  const filters = isRange
    ? [
        { ...field, name: `${name}From`, label: from(label) },
        { ...field, name: `${name}To`, label: to(label) },
      ]
    : [field]
  const { yesNo } = wordsNow().form
  const nullFilter: Field = { name: `${name}IsNull`, label: none(label), kind: 'flag', texts: yesNo }
  return isOptional && (isRange || kind === 'reference') ? [...filters, nullFilter] : filters
}
