import type { Change, Version } from '#client/index.ts'
import { fieldsOf, type Kind } from '#console/app/records/kind.ts'
import { displayedText } from '#console/app/records/value.tsx'
import { useWords, wordsNow } from '#console/app/words/index.ts'
import { valueAt } from '#core/csv.ts'
import { fieldLabel, inPageOrder } from './labels.ts'
import { useVersionWords } from './version-words.ts'

interface ChangedFieldsProps {
  readonly kind: Kind
  readonly change: Change
  readonly version: Pick<Version<object>, 'value' | 'altered'>
  /** The record before the change, if it is stored. */
  readonly before: object | null | undefined
}

/** The old and new values of the changed fields, as far as they are stored. */
export const ChangedFields = ({ kind, change, version, before }: ChangedFieldsProps) => {
  const { value, altered = [] } = version
  const { members } = useWords()
  const words = useVersionWords()
  const textOf = (item: object | null | undefined, field: string) =>
    item ? valueText(kind, item, field) : ''
  const roles: Readonly<Record<string, string>> = members.roles
  const fields = inPageOrder(change.data.changed).map((field) => ({
    label: fieldLabel(kind.name, field),
    from: textOf(before, field),
    to: textOf(value, field),
  }))
  const alteredFields = altered.map(({ field, from, to }) => ({
    label: fieldLabel(kind.name, field),
    from: roles[from] ?? from,
    to: roles[to] ?? to,
  }))
  return (
    <dl class="past-fields">
      {[...fields, ...alteredFields]
        .filter(({ to }) => to !== '')
        .map(({ label, from, to }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd dir="auto">
              {from && (
                <>
                  <span class="unseen">{words.arrow.was}</span> <del>{from}</del> →{' '}
                  <span class="unseen">{words.arrow.now}</span>
                </>
              )}{' '}
              {to}
            </dd>
          </div>
        ))}
    </dl>
  )
}

/** The value of a field as text; empty if the version does not have it. */
export const valueText = (kind: Kind, item: object, name: string) => {
  const field = fieldsOf(kind.record()).find((one) => one.name === name)
  const value = valueAt(item, name)
  return field && value !== undefined ? displayedText(field, value, wordsNow()) : ''
}
