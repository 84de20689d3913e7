import type { Resource } from '#resources/resource.ts'
import { memberDocument } from './document.ts'
import { foreignMember } from './foreign.ts'
import { memberCodes, memberErrors } from './messages.ts'
import { ImportedMember, memberRecords, unsent } from './records.ts'
import { memberRoutes } from './routes.ts'
import { renewSearch } from './rows.ts'
import { memberService } from './service.ts'
import { memberPeople } from './sign-in.ts'
import { memberStore } from './store.ts'
import { verifyMembers } from './verify.ts'

export const member: Resource = {
  name: 'member',
  plural: 'members',
  migrations: new URL('./migrations/', import.meta.url),
  finishes: { '003-search-without-marks': renewSearch, '005-finding': renewSearch },
  codes: memberCodes,
  errors: memberErrors,
  document: memberDocument,
  imported: ImportedMember,
  foreign: foreignMember,
  changes: [
    'member.created',
    'member.updated',
    'member.credentialChanged',
    'member.roleChanged',
    'member.deleted',
  ],
  unsent,
  records: memberRecords,
  verify: verifyMembers,
  open: ({ db, timeZone, announce, references, ...ground }) => ({
    routes: (http) => {
      const store = memberStore(db, announce, references)
      memberRoutes(http, memberService({ ...ground, store }), timeZone)
    },
    people: memberPeople(db, ground.passwords),
  }),
}
