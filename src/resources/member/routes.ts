import type { Routes } from '#http/api/routes.ts'
import { filterOf } from '#resources/machine/filters.ts'
import { addedConditions, memberFilters } from './filter.ts'
import { memberSortable } from './lists.ts'
import type { MemberRows } from './rows.ts'
import {
  CredentialChange,
  MemberRole,
  type MemberShapes,
  NewCredential,
  NewRole,
  OwnCredential,
  OwnCredentialChange,
} from './schema.ts'
import type { MemberService } from './service.ts'

const insistsOnVersion = true

interface RouteParts {
  readonly shapes: MemberShapes
  readonly rows: MemberRows
  readonly timeZone: string
}

export const memberRoutes = (
  http: Routes,
  members: MemberService,
  { shapes, rows, timeZone }: RouteParts,
) => {
  const { memberViews: shows, NewMember, MemberUpdate, MemberPatch } = shapes
  http.list(
    '/members',
    {
      operation: 'members:list',
      summary: 'List members',
      shows,
      filter: { ...filterOf(addedConditions(rows.added, timeZone)), ...memberFilters(timeZone) },
      sortable: Object.keys(memberSortable(rows)),
      names: 'memberId',
    },
    members,
  )
  http.post(
    '/members',
    {
      operation: 'members:create',
      summary: 'Create a member',
      shows,
      body: NewMember,
      names: 'memberId',
      refuses: ['e.xx.yy.8001'],
      prepare: members.passwordHash,
    },
    ({ body, prepared, actor }) => members.create(body, prepared, { actor }),
  )
  http.get(
    '/members/:memberId',
    { operation: 'members:read', summary: 'Get a member', shows, refuses: ['e.xx.yy.5001'] },
    ({ params }) => members.find(params.memberId),
  )
  http.history(
    '/members/:memberId/history',
    {
      operation: 'members:history',
      summary: 'Get the history of a member',
      shows: { full: shows.full },
      refuses: ['e.xx.yy.5001'],
    },
    ({ params }) => members.find(params.memberId),
  )
  http.put(
    '/members/:memberId',
    {
      operation: 'members:update',
      summary: 'Update a member',
      shows,
      body: MemberUpdate,
      insistsOnVersion,
      refuses: ['e.xx.yy.5001'],
    },
    ({ params, body, ...asked }) => members.update(params.memberId, body, asked),
  )
  http.patch(
    '/members/:memberId',
    {
      operation: 'members:update',
      summary: 'Change some fields of a member',
      shows,
      body: MemberPatch,
      insistsOnVersion,
      refuses: ['e.xx.yy.5001'],
    },
    ({ params, body, ...asked }) => members.update(params.memberId, body, asked),
  )
  http.delete(
    '/members/:memberId',
    {
      operation: 'members:delete',
      erasure: 'members:erase',
      summary: 'Delete a member',
      insistsOnVersion,
      refuses: ['e.xx.yy.5001'],
    },
    ({ params, ...asked }) => members.remove(params.memberId, asked),
  )
  http.post(
    '/members/:memberId/restore',
    {
      operation: 'members:restore',
      summary: 'Restore a member',
      shows,
      refuses: ['e.xx.yy.5001', 'e.xx.yy.8001'],
    },
    ({ params, actor }) => members.restore(params.memberId, actor),
  )
  http.put(
    '/members/:memberId/credential',
    {
      operation: 'members:credential',
      summary: "Change a member's credential",
      shows,
      body: NewCredential,
      ownBody: OwnCredential,
      changes: '/members/:memberId',
      insistsOnVersion,
      isAlone: true,
      refuses: ['e.xx.yy.5001', 'e.xx.yy.8001'],
      prepare: members.prepareCredential,
    },
    ({ params, ...asked }) => members.replaceCredential(params.memberId, asked),
  )
  http.patch(
    '/members/:memberId/credential',
    {
      operation: 'members:credential',
      summary: "Change some of a member's credential",
      shows,
      body: CredentialChange,
      ownBody: OwnCredentialChange,
      appliesPatch: true,
      changes: '/members/:memberId',
      insistsOnVersion,
      refuses: ['e.xx.yy.5001', 'e.xx.yy.8001'],
      prepare: members.prepareCredential,
    },
    ({ params, ...asked }) => members.changeCredential(params.memberId, asked),
  )
  http.get(
    '/members/:memberId/role',
    {
      operation: 'members:role',
      summary: "Get a member's role",
      shows: { full: MemberRole },
      isDated: true,
      refuses: ['e.xx.yy.5001'],
    },
    ({ params }) => members.role(params.memberId),
  )
  http.put(
    '/members/:memberId/role',
    {
      operation: 'members:role',
      summary: "Change a member's role",
      shows: { full: MemberRole },
      isDated: true,
      body: NewRole,
      refuses: ['e.xx.yy.5001'],
    },
    ({ params, body, ...asked }) => members.changeRole(params.memberId, body, asked),
  )
}
