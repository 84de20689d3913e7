import { Example } from '#core/schema.ts'
import type { FieldTexts, ResourceDocument } from '#http/openapi/room.ts'
import type { Declaration, OpenApiTexts } from '#resources/declaration.ts'
import { exampleHistory } from '#resources/examples.ts'
import { documentOf, exampleOf, exampleValues } from '#resources/machine/document.ts'
import { Credential, type MemberShapes, type NewCredential } from './schema.ts'

const now = '2026-11-21T06:45:00.123Z'

const credential = { signId: 'john.smith@example.com', passwordLastChangedAt: now, lastModifiedAt: now }

const later = '2026-11-21T07:00:00.000Z'

const texts: ResourceDocument['fields'] & FieldTexts<'credential', typeof NewCredential> = {
  'member.role':
    'The role of the new member, for callers who may give roles; nobody else may send it. Responses show it at `/role`.',
  'credential.signId':
    'The login identifier, unique among members. Empty in a request: the e-mail address in lower case. Null: the same for a new member; an existing one keeps its sign id. White space at the ends, invisible characters, and words that mix Latin letters with Cyrillic or Greek ones are refused (`Pattern`).',
  'credential.password':
    'Stored as a hash and never shown. Any characters are allowed, and none are cut off.',
  'credential.currentPassword': 'The current password, required when a member changes their own credential.',
  'credential.passwordLastChangedAt': 'When the password last changed, in UTC.',
  'credential.lastModifiedAt': 'When the credential last changed, in UTC.',
  'memberRole.role':
    '`member`; `administrator`: may do everything; `suspended`: cannot sign in, and its tokens are refused.',
  MemberRole: 'What a member is to the service.',
  'invitation.memberId': 'Who is invited.',
  'invitation.url':
    'The page on which the member chooses a password, once. It is in this answer and nowhere else.',
  'invitation.expiresAt': 'Seven days after it was made.',
  'invitations.ids': 'The ids of the members to invite: at most 500.',
  'invitations.invited': 'A link for each member that was invited.',
  'invitations.refused': 'The members that were not invited.',
  'uninvited.memberId': 'Who was not invited.',
  'uninvited.code':
    '`e.xx.yy.5001`: there is no such member; `e.xx.yy.8002`: the member is suspended; `e.xx.fw.4003`: the member is an administrator, whom keys and tokens with scopes may not invite.',
  'invited.memberId': 'Who was invited.',
  'invited.firstName': 'The first name.',
  'invited.lastName': 'The last name.',
  'invited.signId': 'What the member signs in with.',
  'invited.password': 'The chosen password: 8 to 128 characters of any kind.',
  'invited.expiresAt': 'When the invitation ends.',
  Invitation: 'A link by which a member chooses a password.',
  Invitations: 'The links of some members.',
  Uninvited: 'A member that was not invited, with the reason.',
  NewInvitations: 'Whom to invite.',
  Invited: 'A member that was invited.',
  InvitedUpdate: 'A password to have from now on.',
  MemberRoleUpdate: 'A role to give.',
  Member: 'A person with a credential, in full.',
  DetailedMember: 'A person without the credential.',
  ReducedMember: 'Only the id and the name of a person.',
  NewMember: 'A member to create.',
  MemberUpdate: 'All fields of a member. An omitted optional field becomes null.',
  MemberPatch:
    'A change to a member as a merge patch (RFC 7396). An omitted field keeps its value; null clears it.',
  Credential: 'What a member signs in with, without the secret.',
  NewCredential: 'The credential of a member to create.',
  CredentialUpdate: 'A new credential.',
  CredentialPatch:
    'A change of a credential as a merge patch (RFC 7396). What is omitted or null stays as it is.',
}

/** The documentation of members. The declaration documents added fields. */
export const memberDocument = (
  { profileNames, timeFields }: MemberShapes,
  declaration: Declaration,
): ResourceDocument => {
  const serviceWritten = { credential: Example(credential, Credential), ...timeFields }
  const person = exampleValues(declaration)
  const member = exampleOf(declaration, { serviceWritten })
  const { memberId, firstName, lastName } = member as Readonly<Record<string, string>>
  const expiresAt = '2026-11-28T06:45:00.123Z'
  const url = `https://rollcall.example.com/#/invitation/ri_${'qO5Y0p9mB3xJ7c2sVtR8wZ1aLhKdNfGuE4iQyXoP6bM'}`
  const invitation = { memberId, url, expiresAt }
  const invited = { memberId, firstName, lastName, signId: credential.signId, expiresAt }
  const document: OpenApiTexts = {
    fields: texts,
    operations: {
      'GET /members': {
        description:
          'All members in order of creation, or one page of them if `page`, `size`, `sort` or `cursor` is given. `name` finds members whose name contains a text, ignoring case and character width; `signId` finds the one member who signs in with it.',
      },
      'POST /members': {
        description: 'Creates a member and returns its address in `Location`. The password is never shown.',
        request: { ...person, credential: { signId: null, password: 'correct horse battery' } },
      },
      'GET /members/:memberId/history': {
        description:
          'What the member was after each of its changes, newest first, also after it was deleted. It is kept as long as the changes, unless the member is erased. A member may read its own.',
        answer: exampleHistory(
          'member',
          [...profileNames, 'credential.signId', 'credential.password'],
          member,
        ),
      },
      'PUT /members/:memberId': {
        description:
          'Replaces all fields except the credential. The member may be sent back exactly as GET shows it. Send the `ETag` from that GET as `If-Match`, so that no change made by someone else is lost.',
        request: { ...person, address: 'Kyoto' },
        answer: { ...member, address: 'Kyoto', lastModifiedAt: later },
      },
      'PATCH /members/:memberId': {
        request: { zipCode: null, address: 'Osaka' },
        answer: { ...member, zipCode: null, address: 'Osaka', lastModifiedAt: later },
      },
      'DELETE /members/:memberId': {
        description:
          'Deletes a member and its credential permanently. With `erase=true` also what is kept of it: the values of its history, and the answers that are kept for repeated requests. That is for administrators and the scope `members:erase`, and may follow an earlier deletion.',
      },
      'POST /members/:memberId/restore': {
        description:
          'Brings back a deleted member from its history, with its id, as its next version. It has no password and no role, and cannot come in until an administrator gives it a credential. Nothing comes back after an erasure, or once the changes are no longer kept.',
      },
      'POST /members/:memberId/invitation': {
        id: 'inviteMember',
        description:
          'Makes a link by which the member chooses a password, for a first one or a forgotten one. It is good once, for seven days, and ends with the next invitation, with a change of the credential, with a suspension, with a promotion to administrator, and with the member. The service keeps only a hash and sends nothing: pass the link on. For an administrator it is refused (403) to keys and tokens with scopes.',
        answer: invitation,
      },
      'POST /members/invitations': {
        id: 'inviteMembers',
        description: 'The same for some members at once. Those that cannot be invited are named.',
        request: { ids: [member.memberId, '019e6a3c-6c00-7000-8000-000000000002'] },
        answer: {
          invited: [invitation],
          refused: [{ memberId: '019e6a3c-6c00-7000-8000-000000000002', code: 'e.xx.yy.5001' }],
        },
      },
      'GET /members/:memberId/invitation': {
        id: 'getInvited',
        description:
          'Whom an invitation is for. Send the part of the link after the last `/` as `Authorization: Bearer`, with `me` as the id.',
        answer: invited,
      },
      'PUT /members/:memberId/invitation': {
        id: 'acceptInvitation',
        description: 'Gives the member this password, and ends the invitation with which the request came.',
        request: { password: 'staple horse battery' },
        answer: invited,
      },
      'GET /members/:memberId/role': {
        id: 'getRole',
        description: 'The role of a member. It is no field of the member.',
        answer: { role: 'member' },
      },
      'PUT /members/:memberId/role': {
        id: 'changeRole',
        description:
          'Gives a member a role. It takes effect at once on every instance, and ends the tokens of the member.',
        request: { role: 'suspended' },
        answer: { role: 'suspended' },
      },
      'PUT /members/:memberId/credential': {
        id: 'changeMemberCredential',
        description:
          'Changes the sign id and the password, and ends every remembered sign-in of the member. A member who changes their own credential must send `currentPassword`. That of an administrator is refused (403) to keys and tokens with scopes.',
        request: { signId: 'john', password: 'staple horse battery' },
        answer: {
          ...member,
          credential: { signId: 'john', passwordLastChangedAt: later, lastModifiedAt: later },
          lastModifiedAt: later,
        },
      },
      'PATCH /members/:memberId/credential': {
        id: 'patchMemberCredential',
        description:
          'Changes the sign id or the password alone; what is omitted or null stays as it is, whoever changed it last. Otherwise as PUT: a member who changes their own credential must send `currentPassword`.',
        request: { signId: 'john' },
        answer: {
          ...member,
          credential: { signId: 'john', passwordLastChangedAt: now, lastModifiedAt: later },
          lastModifiedAt: later,
        },
      },
    },
  }
  return {
    ...documentOf(declaration, { serviceWritten, document }),
    aliases: {
      memberId:
        '`me` means the member who sends the request; for a caller who is not a member, it gives 404.',
    },
  }
}
