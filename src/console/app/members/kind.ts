import { isReduced, type MemberUpdate, type SeenMember } from '#client/index.ts'
import { recordPathOf } from '#console/app/api/batch.ts'
import { callSignedIn, members, readSignedIn } from '#console/app/api/call.ts'
import {
  findMembers,
  type MemberQuery,
  maxSearchLength,
  readRoles,
  seesOnlyNames,
  walkMembers,
} from '#console/app/api/members.ts'
import { filtersBy } from '#console/app/records/described.ts'
import { type Field, fieldsOf, type Kind } from '#console/app/records/kind.ts'
import type { ListQuery } from '#console/app/records/query.ts'
import { recordWords } from '#console/app/records/words.ts'
import { reportAs } from '#console/app/state/notes.ts'
import type { Question } from '#console/app/ui/dialog.tsx'
import { loadLazy } from '#console/app/ui/lazy.tsx'
import { wordsNow } from '#console/app/words/index.ts'
import { nameOf } from './name.ts'
import { addedFields, profileSections, recordSections } from './sections.ts'

/** Members, as the common pages of all records show them. A user who sees only the names of other members may not change them. */
export const memberKind: Kind<SeenMember> = {
  name: 'member',
  plural: 'members',
  icon: 'members',
  searchParameter: 'name',
  maxSearchLength,
  // Ids increase with the time of creation, and users who see only names may still sort by id.
  defaultSort: 'memberId,desc',
  words() {
    const { members: own, pages } = wordsNow()
    const scope = seesOnlyNames.get() ? 'names' : 'all'
    return {
      ...recordWords(own.noun),
      ...own,
      title: pages.members,
      search: own.search[scope],
      noHitsText: own.noHitsText[scope],
    }
  },
  idOf: ({ memberId }) => memberId,
  titleOf: nameOf,
  form: profileSections,
  record: recordSections,
  columns() {
    const { columns, fields } = wordsNow().members
    const others = fieldsOf(recordSections())
      .filter(({ name }) => !mainFields.includes(name))
      .map((field) => ({ ...field, isUnsortable: field.name.startsWith('credential.') }))
    return [
      { name: 'name', label: columns.name, kind: 'text', sortField: 'lastName', sortLabel: fields.lastName },
      { name: 'emailAddress', label: columns.emailAddress, kind: 'email' },
      { name: 'dateOfBirth', label: columns.dateOfBirth, kind: 'day' },
      { name: 'telephoneNumber', label: columns.telephoneNumber, kind: 'tel' },
      { name: 'createdAt', label: columns.createdAt, kind: 'time', sortField: 'memberId' },
      ...others,
    ]
  },
  filters(): readonly Field[] {
    const { fields, genders, role, roles, access, accessTexts, bornFrom, bornTo } = wordsNow().members
    const { member: _, ...others } = roles
    return [
      { name: 'genderCode', label: fields.genderCode, kind: 'code', texts: genders },
      { name: 'role', label: role, kind: 'code', texts: others },
      { name: 'withoutPassword', label: access, kind: 'code', texts: accessTexts },
      { name: 'bornFrom', label: bornFrom, kind: 'day' },
      { name: 'bornTo', label: bornTo, kind: 'day' },
      ...filtersBy(addedFields()),
    ]
  },
  bulkActions: (items) => [
    { icon: 'send', text: wordsNow().members.invite, question: inviteQuestion(items) },
  ],
  fieldsWithOwnPath() {
    if (seesOnlyNames.get()) return []
    const { role, roles } = wordsNow().members
    const change = (id: string, value: unknown) =>
      ({ method: 'PUT', path: `${recordPathOf('members', id)}/role`, body: { role: value } }) as const
    const toFile = (value: unknown) => ({ credential: { role: value } })
    const requests = { defaultValue: 'member', read: readRoles, change, toFile }
    return [{ name: 'role', label: role, kind: 'code', texts: roles, ...requests }]
  },
  may: (_, member) => (member ? !isReduced(member) : !seesOnlyNames.get()),
  find: (query, options, previous) => findMembers(queryOf(query), options, previous),
  readAll: (query, signal) => walkMembers(queryOf(query), signal),
  read: (id, options = {}, previous) =>
    readSignedIn((init) => members.get(previous ?? id, init), options, previous),
  update: (known, values) => callSignedIn(() => members.update(known, values as MemberUpdate)),
  remove: (known) => callSignedIn(() => members.remove(known)),
  restore: (id) => callSignedIn(() => members.restore(id)),
}

/** The fields that have columns of their own above. */
const mainFields = ['firstName', 'lastName', 'emailAddress', 'dateOfBirth', 'telephoneNumber', 'createdAt']

const queryOf = ({ text, filters, columns: _, ...query }: ListQuery): MemberQuery => ({
  ...query,
  ...filters,
  name: text,
})

/** Asks before an invitation link is made for each of these members. */
const inviteQuestion = (invited: readonly SeenMember[]): Question => {
  const { manyTitle, manyText, manySubmit, manyFailed } = wordsNow().members.inviting
  return {
    title: manyTitle(invited.length),
    text: manyText,
    yes: manySubmit,
    kind: 'primary',
    onYes: () =>
      loadLazy()
        .then(({ invite }) => invite(invited))
        .catch(reportAs(manyFailed)),
  }
}
