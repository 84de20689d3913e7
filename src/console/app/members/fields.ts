import type { MemberUpdate } from '#client/index.ts'
import type { Field } from '#console/app/records/field.ts'

/** The fields of a member that a person fills in. */
type ProfileField = Exclude<
  keyof MemberUpdate,
  'memberId' | 'credential' | 'createdAt' | 'lastModifiedAt' | 'links'
>

export type FieldInput = Pick<Field, 'kind' | 'isOptional'> & { readonly section: 'person' | 'contact' }

/** The input for each field, in the order of the form. A missing field does not compile. */
export const profile: Readonly<Record<ProfileField, FieldInput>> = {
  firstName: { section: 'person', kind: 'text' },
  lastName: { section: 'person', kind: 'text' },
  genderCode: { section: 'person', kind: 'code' },
  dateOfBirth: { section: 'person', kind: 'day' },
  emailAddress: { section: 'contact', kind: 'email' },
  telephoneNumber: { section: 'contact', kind: 'tel', isOptional: true },
  zipCode: { section: 'contact', kind: 'text', isOptional: true },
  address: { section: 'contact', kind: 'text', isOptional: true },
}

export const profileFields = Object.keys(profile) as ProfileField[]

export const credentialFields = ['credential.signId', 'credential.password'] as const
