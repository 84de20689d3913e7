import type { MemberUpdate } from '#client/index.ts'

/** The fields of a member that a person fills in. */
export type ProfileField = Exclude<
  keyof MemberUpdate,
  'memberId' | 'credential' | 'createdAt' | 'lastModifiedAt' | 'links'
>

type Section = 'person' | 'contact'

export interface InputAttributes {
  readonly type?: 'text' | 'email' | 'tel' | 'date' | 'password'
  readonly autocomplete?: string
  readonly isOptional?: boolean
  readonly hint?: 'signId' | 'password'
}

/** How each is asked for, in the order of the form. One that is left out does not compile. */
export const profile: Readonly<Record<ProfileField, InputAttributes & { readonly section: Section }>> = {
  firstName: { section: 'person' },
  lastName: { section: 'person' },
  genderCode: { section: 'person' },
  dateOfBirth: { section: 'person', type: 'date' },
  emailAddress: { section: 'contact', type: 'email' },
  telephoneNumber: { section: 'contact', type: 'tel', isOptional: true },
  zipCode: { section: 'contact', isOptional: true },
  address: { section: 'contact', isOptional: true },
}

export const profileFields = Object.keys(profile) as ProfileField[]

export const fieldsIn = (section: Section) =>
  profileFields.filter((field) => profile[field].section === section)

export const credentialFields = ['credential.signId', 'credential.password'] as const
