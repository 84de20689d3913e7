import { memberExtension } from '#console/app/api/declared.ts'
import { describedFields } from '#console/app/records/described.ts'
import { type Field, fieldsOf, type Section } from '#console/app/records/kind.ts'
import { wordsNow } from '#console/app/words/index.ts'
import { memberForm } from '#resources/member/labels.ts'
import { nameFields } from './name.ts'

/** A section of the form. The first and last name are in the order of the language. */
const sectionOf = (section: 'person' | 'contact'): Section => {
  const { fields, sections, genders } = wordsNow().members
  const names = [...new Set([...nameFields(), ...(Object.keys(memberForm) as (keyof typeof memberForm)[])])]
  return {
    title: sections[section],
    fields: names
      .filter((name) => memberForm[name].section === section)
      .map((name) => ({
        ...memberForm[name],
        name,
        label: fields[name],
        ...(name === 'genderCode' && { texts: genders, order: ['2', '1', '0'] }),
      })),
  }
}

export const profileSections = (): readonly Section[] => [
  sectionOf('person'),
  sectionOf('contact'),
  ...addedSections(),
]

/** The section of the fields that extensions added to members, if there are any. */
const addedSections = (): readonly Section[] => {
  const extension = memberExtension()
  return extension ? [{ title: wordsNow().members.sections.further, fields: describedFields(extension) }] : []
}

/** The fields that extensions added to members. */
export const addedFields = () => fieldsOf(addedSections())

/** All fields of a member that are shown. */
export const recordSections = (): readonly Section[] => {
  const { fields, sections } = wordsNow().members
  const fieldOf = (name: keyof typeof fields, kind: Field['kind']): Field => ({
    name,
    kind,
    label: fields[name],
  })
  return [
    ...profileSections(),
    {
      title: sections.access,
      fields: [fieldOf('credential.signId', 'text'), fieldOf('credential.passwordLastChangedAt', 'time')],
    },
    {
      title: sections.record,
      fields: [fieldOf('memberId', 'id'), fieldOf('createdAt', 'time'), fieldOf('lastModifiedAt', 'time')],
    },
  ]
}
