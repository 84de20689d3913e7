import type { Routes } from '#http/api/routes.ts'
import { filterOf } from '#resources/machine/filters.ts'
import { type RecordSchemas, recordRoutes } from '#resources/machine/routes.ts'
import { addedFieldConditions, memberFilters } from './filter.ts'
import type { invitations } from './invitation.ts'
import { memberSortable } from './lists.ts'
import type { MemberRows } from './rows.ts'
import {
  CredentialChange,
  Invitation,
  Invitations,
  Invited,
  MemberRole,
  type MemberSchemas,
  NewCredential,
  NewInvitations,
  NewPassword,
  NewRole,
  OwnCredential,
  OwnCredentialChange,
} from './schema.ts'
import type { MemberService } from './service.ts'

const item = '/members/:memberId'
const refusals = ['e.xx.yy.5001']
const hasLastModified = true
const roleRoute = {
  operation: 'members:role',
  shows: { full: MemberRole },
  hasLastModified,
  refusals,
} as const

interface MemberRouteContext {
  readonly shapes: MemberSchemas
  readonly rows: MemberRows
  readonly timeZone: string
  readonly invitations: ReturnType<typeof invitations>
}

export const memberRoutes = (
  http: Routes,
  members: MemberService,
  { shapes, rows, timeZone, invitations }: MemberRouteContext,
) => {
  const { memberViews: views, Member } = shapes
  recordRoutes(http, members, {
    declaration: { name: 'member' },
    shipped: {},
    views,
    listOperation: 'members:list',
    erasureOperation: 'members:erase',
    schemas: {
      record: Member,
      createdRecord: Member,
      createBody: shapes.NewMember,
      replaceBody: shapes.MemberUpdate,
      patchBody: shapes.MemberPatch,
    } as unknown as RecordSchemas,
    filter: { ...filterOf(addedFieldConditions(rows.added, timeZone)), ...memberFilters(timeZone) },
    sortable: Object.keys(memberSortable(rows)),
    itemOptions: { refusals, requiresVersion: true },
    creation: { refusals: ['e.xx.yy.8001'], prepare: members.passwordHash },
  })
  const credentialRoute = {
    operation: 'members:credential',
    shows: views,
    changedPath: item,
    requiresVersion: true,
    refusals: [...refusals, 'e.xx.yy.8001'],
    prepare: members.prepareCredential,
  }
  http.put(
    `${item}/credential`,
    {
      ...credentialRoute,
      summary: "Change a member's credential",
      notInBatch: true,
      body: NewCredential,
      ownBody: OwnCredential,
    },
    ({ params, ...call }) => members.replaceCredential(params.memberId, call),
  )
  http.patch(
    `${item}/credential`,
    {
      ...credentialRoute,
      summary: "Change parts of a member's credential",
      body: CredentialChange,
      ownBody: OwnCredentialChange,
      handlerAppliesPatch: true,
    },
    ({ params, ...call }) => members.changeCredential(params.memberId, call),
  )
  http.post(
    `${item}/invitation`,
    {
      operation: 'members:invite',
      summary: 'Invite a member',
      shows: { full: Invitation },
      showsSecret: true,
      refusals: [...refusals, 'e.xx.yy.8002'],
    },
    ({ params, ...call }) => invitations.invite(params.memberId, call),
  )
  http.post(
    '/members/invitations',
    {
      operation: 'members:invite',
      summary: 'Invite some members',
      shows: { full: Invitations },
      body: NewInvitations,
      showsSecret: true,
    },
    ({ body, ...call }) => invitations.inviteAll(body.ids, call),
  )
  http.get(
    `${item}/invitation`,
    {
      operation: 'members:invited',
      summary: 'Get the invited member',
      shows: { full: Invited },
      refusals,
    },
    ({ params, principal }) => invitations.find(params.memberId, principal),
  )
  http.put(
    `${item}/invitation`,
    {
      operation: 'members:invited',
      summary: 'Choose a password',
      shows: { full: Invited },
      body: NewPassword,
      notInBatch: true,
      refusals,
      prepare: members.newPasswordHash,
    },
    ({ params, prepared, ...call }) => invitations.accept(params.memberId, prepared, call),
  )
  http.get(`${item}/role`, { ...roleRoute, summary: "Get a member's role" }, ({ params }) =>
    members.role(params.memberId),
  )
  http.put(
    `${item}/role`,
    { ...roleRoute, summary: "Change a member's role", body: NewRole },
    ({ params, body, ...call }) => members.changeRole(params.memberId, body, call),
  )
}
