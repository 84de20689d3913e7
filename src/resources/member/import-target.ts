import { fold } from '#core/fold.ts'
import { noPassword } from '#core/password-hash.ts'
import { Problem } from '#core/problem.ts'
import { Starting } from '#core/schema.ts'
import type { ObjectSchema } from '#core/shapes.ts'
import type { ImportTarget, PasswordRows, Values } from '#resources/import-target.ts'
import {
  type IdentifyingColumn,
  idColumn,
  matchValuesIn,
  recordFinder,
  uniqueColumns,
} from '#resources/machine/import-target.ts'
import { toFileRecord } from '#resources/machine/records.ts'
import type { ResourceContext } from '#resources/resource.ts'
import type { Database } from '#sql/database.ts'
import { raw } from '#sql/query.ts'
import { commonPassword, signIdInUse } from './messages.ts'
import { fileSchemaOf } from './records.ts'
import type { MemberRows } from './rows.ts'
import { type Member, type MemberSchemas, type MemberUpdate, type NewMember, Role } from './schema.ts'
import type { MemberService } from './service.ts'
import { signIdOf } from './sign-id.ts'

interface MemberImportContext extends Pick<ResourceContext, 'isReservedSignId' | 'isRefusedPassword'> {
  readonly rows: MemberRows
  readonly shapes: MemberSchemas
}

export const memberImportTarget = (
  db: Database,
  members: MemberService,
  { rows, shapes, isReservedSignId, isRefusedPassword }: MemberImportContext,
): ImportTarget => {
  const schema = fileSchemaOf(shapes)
  const { properties } = schema.properties.credential as ObjectSchema
  const { signId: signIdSchema = {}, password: passwordSchema = {} } = properties
  const { createdAt: _, lastModifiedAt: __, ...profile } = shapes.fields
  const matchFields: Readonly<Record<string, IdentifyingColumn>> = {
    memberId: idColumn('member', 'member_id'),
    'credential.signId': { column: 'credential.sign_id_folded', isUnique: true, toStored: fold },
    ...uniqueColumns(rows.declared),
    emailAddress: { column: 'member.email_folded', isUnique: false, toStored: fold },
  }
  const toValues = ({ credential, role, ...member }: Member & { readonly role: Role }) => ({
    ...toFileRecord(rows.table, member),
    'credential.signId': credential.signId,
    'credential.role': role,
  })
  return {
    id: 'memberId',
    schema,
    fields: {
      ...profile,
      'credential.signId': signIdSchema,
      'credential.password': passwordSchema,
      'credential.role': Starting('member', Role),
    },
    references: rows.table.references,
    passwordRows: passwordRowsOf(db),
    matchFields,
    matchValues: (row, isNew) =>
      matchValuesIn(matchFields, isNew ? { ...row, ...signIdFromEmail(row) } : row),
    find: recordFinder(db, matchFields, {
      select: `${rows.columns.text}, credential.role`,
      make: (row) => ({ ...rows.toMember(row), role: (row.role ?? 'member') as Role }),
      idOf: (one: Member) => one.memberId,
      toValues,
      from: 'member JOIN credential ON credential.member_id = member.member_id',
    }),
    check: (values) => {
      const signId = values['credential.signId'] ?? signIdFromEmail(values)['credential.signId'] ?? ''
      if (isReservedSignId(String(signId))) throw signIdInUse(String(signId))
      if (isRefusedPassword(String(values['credential.password'] ?? '')))
        throw commonPassword('credential.password')
    },
    prepare: async (values) => {
      const password = values['credential.password'] ?? null
      if (password === null) return noPassword
      return members.passwordHash({ credential: { password: String(password) } } as NewMember)
    },
    hasIndependentCreations: true,
    create: (values, { principal, actor, prepared }) =>
      members.create(
        {
          ...profileOf(values),
          credential: { signId: values['credential.signId'] ?? null },
        } as unknown as NewMember,
        { prepared, principal, actor, id: (values.memberId as string | null) ?? undefined },
      ),
    update: async (id, { 'credential.role': role, ...values }, call) => {
      const profile = profileOf(values) as unknown as MemberUpdate
      if (role === undefined) return members.update(id, profile, call)
      // Both changes are one nested transaction, so that a refused role also undoes the change of the profile.
      return db.unit(async () => {
        const isChanged = Object.keys(profile).length > 0
        const expectedVersion = isChanged
          ? (await members.update(id, profile, call)).version
          : call.expectedVersion
        return members.changeRole(id, { role: role as Role }, { ...call, expectedVersion })
      })
    },
    remove: (id, call) => members.remove(id, { ...call, isErasure: false }),
    restore: members.restore,
  }
}

const passwordRowsOf = ({ engine }: Database): PasswordRows => {
  const memberId = engine === 'postgres' ? 'CAST(import_row.record_id AS uuid)' : 'import_row.record_id'
  return {
    join: raw(`
      JOIN member ON member.member_id = ${memberId}
      JOIN credential ON credential.member_id = member.member_id`),
    columns: raw('credential.sign_id, member.first_name, member.last_name'),
    hasFirstPassword: raw(`
      credential.password_hash <> '${noPassword}' AND credential.password_last_changed_at = member.created_at`),
  }
}

const profileOf = (values: Values) =>
  Object.fromEntries(Object.entries(values).filter(([field]) => field !== 'memberId' && !field.includes('.')))

/** The sign id that a new member gets from the e-mail address. Empty if the address cannot be a sign id. */
const signIdFromEmail = (values: Values): Values => {
  const emailAddress = values.emailAddress ?? null
  if ((values['credential.signId'] ?? null) !== null || emailAddress === null) return {}
  try {
    return { 'credential.signId': signIdOf(null, String(emailAddress)) }
  } catch (error) {
    if (error instanceof Problem) return {}
    throw error
  }
}
