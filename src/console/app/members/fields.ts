/** The fields of a member that a person fills in, in the order in which they are asked for. */
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
