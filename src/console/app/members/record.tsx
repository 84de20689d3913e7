import type { ComponentChildren } from 'preact'
import type { Member, MemberView } from '#client/index.ts'
import { formatDateTime, formatPlainDate } from '#console/app/words/format.ts'
import { useWords, type Words } from '#console/app/words/index.ts'
import { displayText, visible } from '#console/app/words/visible.ts'
import { fieldsIn, type ProfileField, profileFields } from './fields.ts'
import { inOrder, nameOf } from './name.ts'

type Shown = Partial<Member> & Pick<Member, 'memberId' | 'firstName' | 'lastName'>

type FieldName = keyof Words['members']['fields']

interface Section {
  readonly title: keyof Words['members']['sections']
  readonly fields: readonly FieldName[]
}

const sections = (): readonly Section[] => [
  { title: 'person', fields: inOrder(fieldsIn('person')) },
  { title: 'contact', fields: fieldsIn('contact') },
  { title: 'access', fields: ['credential.signId', 'credential.passwordLastChangedAt'] },
  { title: 'record', fields: ['memberId', 'createdAt', 'lastModifiedAt'] },
]

interface RecordParts {
  readonly member: MemberView
  readonly isLoading: boolean
  /** The row of its role, which is no field of a member. */
  readonly role?: ComponentChildren
}

/** What the service shows of a member. Fields that it omits are omitted here. */
export const Record = ({ member, isLoading, role }: RecordParts) => {
  const words = useWords()
  const values = textsOf(member, words)
  const shown = sections()
    .map(({ title, fields }) => ({ title, fields: fields.filter((name) => values.has(name)) }))
    .filter(({ fields }) => fields.length > 0)
  return (
    <div class="sheet record" aria-busy={isLoading}>
      {shown.map(({ title, fields }, index) => (
        <section key={title}>
          {index === 0 && (
            <div class="record-seal" aria-hidden="true">
              {[...visible(nameOf(member))][0]}
            </div>
          )}
          <h2>{words.members.sections[title]}</h2>
          <dl>
            {fields.map((name) => (
              <div key={name}>
                <dt>{words.members.fields[name]}</dt>
                <dd class={name === 'memberId' ? 'mono' : undefined} dir="auto">
                  <Reach field={name} value={values.get(name) ?? ''} />
                </dd>
              </div>
            ))}
            {title === 'access' && role}
          </dl>
        </section>
      ))}
    </div>
  )
}

interface ReachParts {
  readonly field: FieldName
  readonly value: string
  readonly tabIndex?: number
}

/** A value, as a link if it is an address that one can write to or call. */
export const Reach = ({ field, value, tabIndex }: ReachParts) => {
  const scheme = { emailAddress: 'mailto', telephoneNumber: 'tel' }[field as string]
  if (!scheme || !/[@\d]/.test(value)) return <>{value}</>
  return (
    <a class="reach" href={`${scheme}:${encodeURI(value.replaceAll(' ', ''))}`} tabIndex={tabIndex}>
      {value}
    </a>
  )
}

export const textsOf = (shown: Shown, words: Words): ReadonlyMap<FieldName, string> => {
  const { credential, createdAt, lastModifiedAt } = shown
  const profileText = (field: ProfileField) => {
    if (field === 'genderCode') return shown.genderCode && words.members.genders[shown.genderCode]
    if (field === 'dateOfBirth') return shown.dateOfBirth && formatPlainDate(shown.dateOfBirth)
    return shown[field]
  }
  const texts: (readonly [FieldName, string | null | undefined])[] = [
    ['memberId', shown.memberId],
    ...profileFields.map((field) => [field, profileText(field)] as const),
    ['createdAt', createdAt && formatDateTime(createdAt)],
    ['lastModifiedAt', lastModifiedAt && formatDateTime(lastModifiedAt)],
    ['credential.signId', credential?.signId],
    ['credential.passwordLastChangedAt', credential && formatDateTime(credential.passwordLastChangedAt)],
  ]
  const given = texts.filter((entry): entry is readonly [FieldName, string | null] => entry[1] !== undefined)
  return new Map(given.map(([name, text]) => [name, text === null ? words.none : displayText(text, words)]))
}
