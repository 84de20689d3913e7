import type { Routes } from '#http/api/routes.ts'
import { filterOf } from '#resources/machine/filters.ts'
import { type RoutedRecords, recordRoutes, type Shapes } from '#resources/machine/routes.ts'
import { addedConditions, memberFilters } from './filter.ts'
import { memberSortable } from './lists.ts'
import type { MemberRows } from './rows.ts'
import {
  CredentialChange,
  MemberRole,
  type MemberShapes,
  type MemberUpdate,
  NewCredential,
  type NewMember,
  NewRole,
  OwnCredential,
  OwnCredentialChange,
} from './schema.ts'
import type { MemberService } from './service.ts'

const insistsOnVersion = true

/** The bodies satisfy the schemas of members. */
const routed = (members: MemberService): RoutedRecords => ({
  ...members,
  create: (body, { prepared, actor }) =>
    members.create(body as unknown as NewMember, String(prepared), { actor }),
  update: (memberId, body, asked) => members.update(memberId, body as unknown as MemberUpdate, asked),
  restore: (memberId, { actor }) => members.restore(memberId, actor),
})

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
  const { memberViews: views, Member } = shapes
  recordRoutes(http, routed(members), {
    ...{ declaration: { name: 'member' }, own: {}, views, listing: 'members:list', erasure: 'members:erase' },
    shapes: {
      ...{ shown: Member, made: Member },
      ...{ created: shapes.NewMember, replaced: shapes.MemberUpdate, changed: shapes.MemberPatch },
    } as unknown as Shapes,
    filter: { ...filterOf(addedConditions(rows.added, timeZone)), ...memberFilters(timeZone) },
    sortable: Object.keys(memberSortable(rows)),
    common: { refuses: ['e.xx.yy.5001'], insistsOnVersion },
    creation: {
      refuses: ['e.xx.yy.8001'],
      prepare: (body) => members.passwordHash(body as unknown as NewMember),
    },
  })
  http.put(
    '/members/:memberId/credential',
    {
      operation: 'members:credential',
      summary: "Change a member's credential",
      shows: views,
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
      shows: views,
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
