import type { Field, Section } from '#console/app/records/field.ts'
import { wordsNow } from '#console/app/words/index.ts'
import { type Asked, profile, profileFields } from './fields.ts'
import { nameFields } from './name.ts'

/** Those of the name come in the order of the language. */
const sectionOf = (section: Asked['section']): Section => {
  const { fields, sections, genders } = wordsNow().members
  const names = [...new Set([...nameFields(), ...profileFields])]
  return {
    title: sections[section],
    fields: names
      .filter((name) => profile[name].section === section)
      .map((name) => ({
        ...profile[name],
        name,
        label: fields[name],
        ...(name === 'genderCode' && { texts: genders, order: ['2', '1', '0'] }),
      })),
  }
}

export const profileSections = (): readonly Section[] => [sectionOf('person'), sectionOf('contact')]

/** All that is shown of a member. */
export const recordSections = (): readonly Section[] => {
  const { fields, sections } = wordsNow().members
  const shown = (name: keyof typeof fields, kind: Field['kind']): Field => ({
    name,
    kind,
    label: fields[name],
  })
  return [
    ...profileSections(),
    {
      title: sections.access,
      fields: [shown('credential.signId', 'text'), shown('credential.passwordLastChangedAt', 'time')],
    },
    {
      title: sections.record,
      fields: [shown('memberId', 'id'), shown('createdAt', 'time'), shown('lastModifiedAt', 'time')],
    },
  ]
}
