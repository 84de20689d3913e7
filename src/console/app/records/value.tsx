import { pluralOf } from '#console/app/api/declared.ts'
import { findNameOnce, knownName } from '#console/app/api/names.ts'
import { useLoad } from '#console/app/state/load.ts'
import { hrefTo } from '#console/app/state/route.ts'
import {
  formatDate,
  formatDateTime,
  formatPlainDate,
  useWords,
  type Words,
} from '#console/app/words/index.ts'
import { textOrEmptyMark } from '#console/app/words/visible.ts'
import { valueAt } from '#core/csv.ts'
import { formatValue } from '#core/display.ts'
import { everyCode } from './draft.ts'
import type { Field } from './kind.ts'
import { nameText } from './names.ts'

export const displayedText = (field: Field, value: unknown, words: Words): string => {
  if (field.kind === 'codes') return codesText(field, value)
  if (value === null || value === undefined) return words.none
  const text = (text: string) => textOrEmptyMark(text, words)
  const nameOf = (id: string) => nameText(id, knownName(id), words)
  return formatValue(field, value, {
    text,
    whole: String,
    day: formatPlainDate,
    time: formatDateTime,
    nameOf,
  })
}

/** The codes of a list, grouped by subject. */
const codesText = ({ groups, all = '', texts = {} }: Field, value: unknown) => {
  const codes = Array.isArray(value) ? value : String(value ?? everyCode).split(' ')
  const textsOf = (some: readonly string[]) => some.map((code) => texts[code] ?? code).join(' · ')
  if (codes.includes(everyCode)) return all
  if (!groups) return textsOf(codes)
  const chosen = groups.map(
    ([heading, some]) => [heading, some.filter((code) => codes.includes(code))] as const,
  )
  return chosen
    .flatMap(([heading, some]) => (some.length > 0 ? `${heading}: ${textsOf(some)}` : []))
    .join(', ')
}

interface ValueProps {
  readonly field: Field
  readonly item: object
  readonly isInTable?: boolean
}

/** Shows a value. References, e-mail addresses and telephone numbers are links. */
export const Value = ({ field, item, isInTable }: ValueProps) => {
  const words = useWords()
  const value = valueAt(item, field.name)
  if (field.show) return <>{field.show(item)}</>
  const tabIndex = isInTable ? -1 : undefined
  if (isInTable && value === '') return <>{words.none}</>
  if (isInTable && field.kind === 'time' && value) return <>{formatDate(String(value))}</>
  if (field.of && typeof value === 'string')
    return <ReferenceLink resource={field.of} id={value} tabIndex={tabIndex} />
  const text = displayedText(field, value, words)
  const scheme = { email: 'mailto', tel: 'tel' }[field.kind as string]
  if (!scheme || !/[@\d]/.test(text)) return <>{text}</>
  return (
    <a class="reach" href={`${scheme}:${encodeURI(text.replaceAll(' ', ''))}`} tabIndex={tabIndex}>
      {text}
    </a>
  )
}

interface ReferenceProps {
  readonly resource: string
  readonly id: string
  readonly tabIndex?: number | undefined
}

/** A link to the record to which a reference refers. */
const ReferenceLink = ({ resource, id, tabIndex }: ReferenceProps) => {
  const words = useWords()
  const { value } = useName(resource, id)
  return (
    <a class="reach" href={hrefTo(`${pluralOf(resource)}/${id}`)} tabIndex={tabIndex}>
      {nameText(id, value, words)}
    </a>
  )
}

export const useName = (resource: string, id: string) =>
  useLoad(
    `${resource} ${id}`,
    async ({ isBackground }) => (id ? findNameOnce(resource, id, isBackground) : undefined),
    { reloadOn: [id] },
  )
