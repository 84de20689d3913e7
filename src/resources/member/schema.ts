import {
  AsShown,
  CodeList,
  Distinct,
  Email,
  Id,
  Nullable,
  PastDate,
  ReadOnly,
  Requested,
  Secret,
  Shown,
  Text,
  UtcTimestamp,
  type ValueOf,
  WriteOnly,
} from '#core/schema.ts'
import { maxSignIdLength } from './sign-id.ts'

const credentialFields = {
  signId: Text(0, maxSignIdLength),
  password: WriteOnly(Secret(8, 128)),
  passwordLastChangedAt: ReadOnly(UtcTimestamp),
  lastModifiedAt: ReadOnly(UtcTimestamp),
}

export const Credential = Shown('credential', credentialFields)
export type Credential = ValueOf<typeof Credential>

const newCredentialFields = { ...credentialFields, signId: Nullable(Distinct(0, maxSignIdLength)) }

const reducedFields = {
  memberId: ReadOnly(Id),
  firstName: Text(1, 128),
  lastName: Text(1, 128),
}

/** Each field of a profile stands here, and is a column of the table. The constraints are ours (decision 0001). */
const profileFields = {
  ...reducedFields,
  genderCode: CodeList('CL_GENDER', ['0', '1', '2']),
  dateOfBirth: PastDate,
  emailAddress: Email(256),
  telephoneNumber: Nullable(Text(0, 20)),
  zipCode: Nullable(Text(0, 20)),
  address: Nullable(Text(0, 256)),
}

/** The fields that PUT writes. */
export const profileNames = (Object.keys(profileFields) as (keyof typeof profileFields)[]).filter(
  (name) => name !== 'memberId',
)

const timeFields = { createdAt: ReadOnly(UtcTimestamp), lastModifiedAt: ReadOnly(UtcTimestamp) }

/** All but the credential, which is in a table of its own. */
export const memberFields = { ...profileFields, ...timeFields }

export const Member = Shown('member', { ...profileFields, credential: Credential, ...timeFields })
export type Member = ValueOf<typeof Member> & { readonly version: number }

export const memberViews = {
  full: Member,
  reduced: Shown('member', reducedFields),
  detailed: Shown('member', memberFields),
}

export const NewMember = Requested('member', {
  ...profileFields,
  credential: Requested('credential', newCredentialFields),
  ...timeFields,
})
export type NewMember = ValueOf<typeof NewMember>

export const MemberUpdate = Requested('member', {
  ...profileFields,
  credential: AsShown(credentialFields, 'PUT …/credential', 'lastModifiedAt'),
  ...timeFields,
})
export type MemberUpdate = ValueOf<typeof MemberUpdate>

export const Role = CodeList('CL_ROLE', ['member', 'administrator', 'suspended'])
export type Role = ValueOf<typeof Role>

/** What a member is to the service. It is no field of the member. */
export const MemberRole = Shown('memberRole', { role: Role })
export type MemberRole = ValueOf<typeof MemberRole> & { readonly version: number }

export const NewRole = Requested('memberRole', { role: Role })
export type NewRole = ValueOf<typeof NewRole>

const currentPassword = Secret(0, 128)

export const NewCredential = Requested('credential', {
  ...newCredentialFields,
  currentPassword: Nullable(currentPassword),
})
export type NewCredential = ValueOf<typeof NewCredential>

/** The credential that a member sets for itself: its current password is required. */
export const OwnCredential = Requested('credential', { ...newCredentialFields, currentPassword })
