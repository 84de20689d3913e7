import type { Key } from '#client/index.ts'
import { labelsNow, resourceAt } from '#console/app/api/declared.ts'
import { isMemberId } from '#console/app/api/names.ts'
import { declaredKind, labelledField, type ResourcePages } from '#console/app/declared/kind.ts'
import { RecordSecret, RenewSecret } from '#console/app/declared/secret.tsx'
import { authorText } from '#console/app/history/line.tsx'
import { historyWords } from '#console/app/history/words.ts'
import { filtersBy } from '#console/app/records/described.ts'
import { type Field, fieldsOf } from '#console/app/records/kind.ts'
import { useName } from '#console/app/records/value.tsx'
import { formatAgo, formatDate, formatDateTime, wordsNow } from '#console/app/words/index.ts'
import type { DescribedResource } from '#console/description.ts'
import { keyWords } from './words.ts'

/** The pages of keys. For a new key, the user chooses for how long it is valid. Later, its end can be changed to any time. */
export const keyPages = (resource: DescribedResource): ResourcePages => {
  const readOnlyField = (name: string, kind: Field['kind'], show?: Field['show']): Field => ({
    ...labelledField(resource, name, kind),
    ...(show && { show }),
  })
  const usageFields = () => [
    readOnlyField('lastUsedAt', 'time', lastUseOf),
    readOnlyField('createdBy', 'text', (key) => <Creator shown={key as Key} />),
  ]
  const createdField = () => readOnlyField('createdAt', 'time')
  const { restore: _, ...kind } = declaredKind(resource, {
    shownAs: displayOf,
    serviceFields: () => [readOnlyField('hint', 'text'), createdField(), ...usageFields()],
    texts: keyWords,
  })
  const fields = () => fieldsOf(kind.form())
  return {
    kind: {
      ...kind,
      icon: 'key',
      columns: () =>
        [...fields(), ...usageFields(), createdField(), readOnlyField('keyId', 'id')].map((field) => ({
          ...field,
          ...(field.name === 'name' && { show: hintOf }),
          isUnsortable: field.kind === 'codes',
        })),
      filters: () => filtersBy(fields().filter(({ name }) => name === 'expiresAt')),
    },
    sections: () => {
      const { term, terms } = keyWords()
      const termField = { label: term, kind: 'code', texts: terms, order: ['30', '90', '365', '0'] } as const
      return kind.form().map(({ title, fields }) => ({
        title,
        fields: fields.map((field) =>
          field.name === 'expiresAt' ? { ...field, ...termField, isOptional: false } : field,
        ),
      }))
    },
    initialValues: { expiresAt: '90' },
    bodyOf: ({ expiresAt: days, ...key }) => ({
      ...key,
      expiresAt: days === '0' ? null : new Date(Date.now() + Number(days) * dayMs).toISOString(),
    }),
    secret: RecordSecret,
    actions: RenewSecret,
  }
}

const displayOf = ({ name, order = [] }: Field): Partial<Field> => {
  const words = keyWords()
  if (name === 'name') return { hint: words.nameHint }
  if (name === 'expiresAt') return { show: expiryOf }
  const plurals = Object.groupBy(order, (scope) => scope.split(':')[0] ?? '')
  return {
    groups: Object.entries(plurals).map(([plural, scopes = []]) => [groupTitleOf(plural), scopes] as const),
    texts: Object.fromEntries(
      order.map((scope) => [scope, words.verbs[scope.split(':')[1] as 'read'] ?? scope]),
    ),
  }
}

const groupTitleOf = (plural: string) => {
  const resource = resourceAt(plural)
  if (resource) return labelsNow(resource).many
  return { members: wordsNow().pages.members, changes: keyWords().changes }[plural] ?? plural
}

const dayMs = 86_400_000

/** A key that expires within this time is shown with a warning. */
const soonMs = 14 * dayMs

const hintOf = (key: object) => {
  const { hint } = key as Key
  return hint && <code class="faint"> {hint}…</code>
}

const lastUseOf = (key: object) => {
  const { lastUsedAt } = key as Key
  return lastUsedAt ? keyWords().used(formatDateTime(lastUsedAt)) : keyWords().unused
}

/** The creator of a key, with a note if that member was deleted or is no longer an administrator. */
const Creator = ({ shown: { createdBy, orphaned } }: { shown: Key }) => {
  const { value } = useName('member', createdBy && isMemberId(createdBy) ? createdBy : '')
  if (!createdBy) return <>{wordsNow().none}</>
  return (
    <>
      {authorText(createdBy, new Map(value && [[createdBy, value]]), historyWords())}
      {orphaned && <span class="wrong"> {keyWords().orphaned[orphaned]}</span>}
    </>
  )
}

const expiryOf = (key: object) => {
  const { expiresAt } = key as Key
  const words = keyWords()
  if (expiresAt === null) return words.lasts
  const leftMs = new Date(expiresAt).getTime() - Date.now()
  const date = formatDate(expiresAt)
  if (leftMs <= 0) return <span class="wrong">{words.expired(date)}</span>
  return leftMs > soonMs ? date : <span class="warning">{words.expiresSoon(formatAgo(expiresAt), date)}</span>
}
