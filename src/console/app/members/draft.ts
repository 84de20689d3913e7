import type { Member, MemberUpdate, NewMember } from '#client/index.ts'
import { unreadable } from '#console/app/ui/text-field.tsx'

/** What a person typed: everything is text, and what is empty is not said. */
export type Draft = Readonly<Record<DraftField, string>>

export const profileFields = [
  'firstName',
  'lastName',
  'genderCode',
  'dateOfBirth',
  'emailAddress',
  'telephoneNumber',
  'zipCode',
  'address',
] as const
export type ProfileField = (typeof profileFields)[number]

export const credentialFields = ['credential.signId', 'credential.password'] as const
export type DraftField = ProfileField | (typeof credentialFields)[number]

export const emptyDraft: Draft = {
  firstName: '',
  lastName: '',
  genderCode: '',
  dateOfBirth: '',
  emailAddress: '',
  telephoneNumber: '',
  zipCode: '',
  address: '',
  'credential.signId': '',
  'credential.password': '',
}

export const isSameDraft = (one: Draft, other: Draft) =>
  Object.entries(one).every(([field, text]) => other[field as DraftField] === text)

export const draftOf = (member: Member): Draft => ({
  ...emptyDraft,
  ...Object.fromEntries(profileFields.map((field) => [field, member[field] ?? ''])),
})

/** The fields in which somebody else changed a member meanwhile, and not to what one wants oneself. */
export const clashesOf = (base: Draft, mine: Draft, theirs: Draft) =>
  profileFields.filter((field) => theirs[field] !== base[field] && theirs[field] !== mine[field])

/** Left empty or unreadable is null, unless it was the empty text before: the service keeps the two apart. */
export const profileOf = (draft: Draft, before?: Member): MemberUpdate => {
  const values = profileFields.map((field) => {
    const text = draft[field] === unreadable ? '' : draft[field]
    return [field, text === '' && before?.[field] !== '' ? null : text]
  })
  // Whether it is complete, the service judges: its words stand beside the fields.
  return Object.fromEntries(values) as MemberUpdate
}

export const newMemberOf = (draft: Draft): NewMember => {
  const credential = {
    signId: draft['credential.signId'] || null,
    password: draft['credential.password'] || null,
  }
  return { ...profileOf(draft), credential } as NewMember
}
