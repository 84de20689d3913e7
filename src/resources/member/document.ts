import { Example } from '#core/schema.ts'
import type { FieldTexts, ResourceDocument } from '#http/openapi/resource-document.ts'
import type { Declaration, OpenApiTexts } from '#resources/declaration.ts'
import { exampleHistory } from '#resources/examples.ts'
import { documentOf, exampleOf, exampleValues } from '#resources/machine/document.ts'
import { Credential, type MemberSchemas, type NewCredential } from './schema.ts'

const now = '2026-11-21T06:45:00.123Z'

const credential = { signId: 'john.smith@example.com', passwordLastChangedAt: now, lastModifiedAt: now }

const later = '2026-11-21T07:00:00.000Z'

const texts: ResourceDocument['fields'] & FieldTexts<'credential', typeof NewCredential> = {
  'member.role':
    'The role of the new member. Only callers who may assign roles may send it. Responses show the role only at `/role`.',
  'credential.signId':
    'The login identifier, unique among members. If a request sends an empty text, the sign id becomes the e-mail address in lower case. So it does if a new member has null; with null an existing member keeps the sign id. Spaces at the ends, invisible characters, and words that mix Latin letters with Cyrillic or Greek letters are refused with the code `Pattern`.',
  'credential.password':
    'Stored as a hash and never shown. All characters are allowed, and all of them count.',
  'credential.currentPassword': 'The current password, required when a member changes their own credential.',
  'credential.passwordLastChangedAt': 'When the password last changed, in UTC.',
  'credential.lastModifiedAt': 'When the credential last changed, in UTC.',
  'memberRole.role':
    '`member`; `administrator`: may do everything; `suspended`: cannot sign in, and its tokens are refused.',
  MemberRole: 'The role of a member.',
  'invitation.memberId': 'The id of the invited member.',
  'invitation.url':
    'The address of the page on which the member can choose a password once. Only this answer shows it.',
  'invitation.expiresAt': 'Seven days after the invitation was made.',
  'invitations.ids': 'The ids of the members to invite: at most 500.',
  'invitations.invited': 'The link for each invited member.',
  'invitations.refused': 'The members that could not be invited.',
  'uninvited.memberId': 'The id of the member.',
  'uninvited.code':
    '`e.xx.yy.5001`: there is no such member; `e.xx.yy.8002`: the member is suspended; `e.xx.fw.4003`: the member is an administrator, whom keys and tokens with scopes may not invite.',
  'invited.memberId': 'The id of the invited member.',
  'invited.firstName': 'The first name.',
  'invited.lastName': 'The last name.',
  'invited.signId': 'The sign id with which the member signs in.',
  'invited.password': 'The chosen password: 8 to 128 characters of any kind.',
  'invited.expiresAt': 'When the invitation expires.',
  Invitation: 'A link by which a member chooses a password.',
  Invitations: 'The links for the invited members, and the members that could not be invited.',
  Uninvited: 'A member that could not be invited, with the reason.',
  NewInvitations: 'The members to invite.',
  Invited: 'The invited member.',
  InvitedUpdate: 'The password that the member chooses.',
  MemberRoleUpdate: 'The new role.',
  Member: 'A person with a credential, in full.',
  DetailedMember: 'A person without the credential.',
  ReducedMember: 'Only the id and the name of a person.',
  NewMember: 'A member to create.',
  MemberUpdate: 'All fields of a member. An omitted optional field becomes null.',
  MemberPatch:
    'A change to a member as a merge patch (RFC 7396). An omitted field keeps its value; null clears it.',
  Credential: 'The credential with which a member signs in, without the password.',
  NewCredential: 'The credential of a member to create.',
  CredentialUpdate: 'A new credential.',
  CredentialPatch:
    'A change of a credential as a merge patch (RFC 7396). A field that is omitted or null keeps its value.',
}

/** The documentation of members. The declaration documents added fields. */
export const memberDocument = (
  { profileNames, timeFields }: MemberSchemas,
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
          'The member after each of its changes, newest first. Also works after a deletion, but not after an erasure. The history is kept as long as the log of changes. Members may read their own history.',
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
          'Deletes a member and its credential permanently. With `erase=true`, the values of its history and the answers stored for repeated requests are deleted too. This requires an administrator or the scope `members:erase`, and also works after an earlier deletion.',
      },
      'POST /members/:memberId/restore': {
        description:
          'Creates a deleted member again from its history, with the same id, as its next version. The member has no password and no role, and cannot sign in until an administrator sets a password. Fails after an erasure, or once the log of changes no longer has the member.',
      },
      'POST /members/:memberId/invitation': {
        id: 'inviteMember',
        description:
          'Makes a link by which the member chooses a first password, or a new one in place of a forgotten one. The link works once, for seven days. It becomes invalid with the next invitation, with a change of the credential, with a suspension, with a promotion to administrator, and with the deletion of the member. The service stores only a hash and sends no e-mail: send the link to the member yourself. Keys and tokens with scopes may not invite administrators (403).',
        answer: invitation,
      },
      'POST /members/invitations': {
        id: 'inviteMembers',
        description:
          'Makes such links for several members at once. The answer also lists the members that could not be invited.',
        request: { ids: [member.memberId, '019e6a3c-6c00-7000-8000-000000000002'] },
        answer: {
          invited: [invitation],
          refused: [{ memberId: '019e6a3c-6c00-7000-8000-000000000002', code: 'e.xx.yy.5001' }],
        },
      },
      'GET /members/:memberId/invitation': {
        id: 'getInvited',
        description:
          'The invited member. Send the part of the link after the last `/` as the bearer token, and `me` as the id in the path.',
        answer: invited,
      },
      'PUT /members/:memberId/invitation': {
        id: 'acceptInvitation',
        description: 'Sets the password of the member, and ends the invitation that the request used.',
        request: { password: 'staple horse battery' },
        answer: invited,
      },
      'GET /members/:memberId/role': {
        id: 'getRole',
        description: 'The role of a member. `GET /members/<id>` does not show it.',
        answer: { role: 'member' },
      },
      'PUT /members/:memberId/role': {
        id: 'changeRole',
        description:
          'Changes the role of a member. The change takes effect at once on every instance, and ends the tokens of the member.',
        request: { role: 'suspended' },
        answer: { role: 'suspended' },
      },
      'PUT /members/:memberId/credential': {
        id: 'changeMemberCredential',
        description:
          'Changes the sign id and the password, and ends all tokens of the member. Members who change their own credential must send `currentPassword`. Keys and tokens with scopes may not change the credential of an administrator (403).',
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
          'Changes the sign id, the password, or both. A field that is omitted or null keeps its value, even if another request has just changed it. As with PUT, members who change their own credential must send `currentPassword`.',
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
    aliasNotes: {
      memberId:
        '`me` means the member who sends the request; for a caller who is not a member, it gives 404.',
    },
  }
}
