import {
  ArrayOf,
  AsShown,
  CodeList,
  type Fields,
  Id,
  Nullable,
  ReadOnly,
  Secret,
  Text,
  UniqueWords,
  UtcTimestamp,
  type ValueOf,
  VisiblyDistinct,
  WriteOnly,
} from '#core/schema.ts'
import { CreationOf, ReplacementOf, RequestOf, ResponseOf, withTimesAsText } from '#core/shapes.ts'
import { memberDeclaration, nameFields } from './declaration.ts'
import { maxSignIdLength } from './sign-id.ts'

const credentialFields = {
  signId: Text(0, maxSignIdLength),
  password: WriteOnly(Secret(8, 128)),
  passwordLastChangedAt: ReadOnly(UtcTimestamp),
  lastModifiedAt: ReadOnly(UtcTimestamp),
}

export const Credential = ResponseOf('credential', credentialFields)
export type Credential = ValueOf<typeof Credential>

const newCredentialFields = { ...credentialFields, signId: Nullable(VisiblyDistinct(0, maxSignIdLength)) }

export const Role = CodeList('CL_ROLE', ['member', 'administrator', 'suspended'])
export type Role = ValueOf<typeof Role>

const memberId = ReadOnly(Id)

/** The fields that are columns of the table of members. */
const profileFields = { memberId, ...memberDeclaration.fields }

const timeFields = { createdAt: ReadOnly(UtcTimestamp), lastModifiedAt: ReadOnly(UtcTimestamp) }

/** The schemas of members. Added fields come after the specified ones, and are missing from the types. */
export const memberSchemas = (addedFields: Fields = {}) => {
  const profile = { ...profileFields, ...addedFields } as typeof profileFields
  const requestProfile = withTimesAsText(profile) as typeof profileFields
  const fields = { ...profile, ...timeFields }
  const updateFields = {
    ...requestProfile,
    credential: AsShown(credentialFields, 'PUT …/credential', 'lastModifiedAt'),
    ...timeFields,
  }
  const Member = ResponseOf('member', { ...profile, credential: Credential, ...timeFields })
  return {
    /** All fields except the credential, which has its own table. */
    fields,
    timeFields,
    /** The added fields. The service creates their columns when it starts. */
    added: Object.fromEntries(Object.entries(profile).filter(([, schema]) => 'added' in schema)) as Fields,
    /** The fields that PUT writes. */
    profileNames: (Object.keys(profile) as (keyof typeof profile)[]).filter((name) => name !== 'memberId'),
    Member,
    memberViews: {
      full: Member,
      reduced: ResponseOf('member', { memberId, ...nameFields }),
      detailed: ResponseOf('member', fields),
    },
    NewMember: CreationOf('member', {
      ...requestProfile,
      credential: RequestOf('credential', newCredentialFields),
      role: WriteOnly(Nullable(Role)),
      ...timeFields,
    }),
    MemberUpdate: ReplacementOf('member', updateFields),
    MemberPatch: RequestOf('member', updateFields),
  }
}
export type MemberSchemas = ReturnType<typeof memberSchemas>

/** Members without added fields. */
export const defaultShapes = memberSchemas()

export const { Member, memberViews, NewMember, MemberUpdate } = defaultShapes
export type Member = ValueOf<typeof Member> & { readonly version: number }
export type NewMember = ValueOf<typeof NewMember>
export type MemberUpdate = ValueOf<typeof MemberUpdate>

/** The role of a member. It is not a field of the member. */
export const MemberRole = ResponseOf('memberRole', { role: Role })
export type MemberRole = ValueOf<typeof MemberRole> & {
  readonly version: number
  readonly versionedText?: string
  readonly lastModifiedAt?: number
}

export const NewRole = RequestOf('memberRole', { role: Role })
export type NewRole = ValueOf<typeof NewRole>

/** A link by which a member chooses a password. */
export const Invitation = ResponseOf('invitation', {
  memberId: ReadOnly(Id),
  url: ReadOnly(Text(1, 2_100)),
  expiresAt: ReadOnly(UtcTimestamp),
})

const maxInvited = 500

export const NewInvitations = RequestOf('invitations', { ids: UniqueWords('id', Id, maxInvited) })

export const Uninvited = ResponseOf('uninvited', { memberId: Text(1, 256), code: Text(1, 64) })

export const Invitations = ResponseOf('invitations', {
  invited: ArrayOf(Invitation, maxInvited),
  refused: ArrayOf(Uninvited, maxInvited),
})

/** The member, as a caller with an invitation sees it. */
export const Invited = ResponseOf('invited', {
  memberId,
  ...nameFields,
  signId: credentialFields.signId,
  expiresAt: ReadOnly(UtcTimestamp),
})

export const NewPassword = RequestOf('invited', { password: credentialFields.password })
export type NewPassword = ValueOf<typeof NewPassword>

const currentPassword = Secret(0, 128)

export const NewCredential = RequestOf('credential', {
  ...newCredentialFields,
  currentPassword: Nullable(currentPassword),
})
export type NewCredential = ValueOf<typeof NewCredential>

/** The body with which members replace their own credential. The current password is required. */
export const OwnCredential = RequestOf('credential', { ...newCredentialFields, currentPassword })

const credentialChangeFields = { ...newCredentialFields, password: Nullable(newCredentialFields.password) }

/** A change of a credential. Null keeps the stored value. */
export const CredentialChange = RequestOf('credential', {
  ...credentialChangeFields,
  currentPassword: Nullable(currentPassword),
})
export type CredentialChange = ValueOf<typeof CredentialChange>

export const OwnCredentialChange = RequestOf('credential', { ...credentialChangeFields, currentPassword })
