import type { SeenMember } from '#client/index.ts'
import { callSignedIn, members } from '#console/app/api/call.ts'
import { failureOf } from '#console/app/api/failure.ts'
import { saveCsv } from '#console/app/export/saving.ts'
import { notify, notifyFailure } from '#console/app/state/notes.ts'
import { listNames } from '#console/app/ui/bulk.ts'
import { formatDateTime, wordsNow } from '#console/app/words/index.ts'
import { nameOf, quotedName } from './name.ts'

/** The most members that the service invites in one request. */
const batchSize = 500

/** Saves a file with a link for each member, and names those who were not invited. */
export const invite = async (invitees: readonly SeenMember[]) => {
  const { inviting, columns } = wordsNow().members
  const membersById = new Map(invitees.map((member) => [member.memberId, member]))
  const ids = [...membersById.keys()]
  const rows: string[][] = []
  const refused: { readonly name: string }[] = []
  try {
    for (let at = 0; at < ids.length; at += batchSize) {
      const { value } = await callSignedIn(() => members.inviteAll(ids.slice(at, at + batchSize)))
      for (const { memberId, url, expiresAt } of value.invited) {
        const member = membersById.get(memberId)
        const address = member && 'emailAddress' in member ? member.emailAddress : ''
        rows.push([member ? nameOf(member) : memberId, address, url, formatDateTime(expiresAt)])
      }
      for (const { memberId } of value.refused) {
        const member = membersById.get(memberId)
        refused.push({ name: member ? quotedName(member) : memberId })
      }
    }
  } catch (error) {
    notifyFailure(inviting.manyFailed, failureOf(error))
  }
  const heads = [columns.name, columns.emailAddress, inviting.link, inviting.until]
  if (rows.length > 0) saveCsv('rollcall-invitations.csv', [heads, ...rows])
  if (rows.length > 0 || refused.length > 0) notify(inviting.manyMade(rows.length, listNames(refused)))
}
