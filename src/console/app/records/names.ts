import { findName, type RecordName } from '#console/app/api/changes.ts'
import { nameOf } from '#console/app/members/name.ts'
import type { Words } from '#console/app/words/index.ts'
import { displayText } from '#console/app/words/visible.ts'

/** The name of a record, or the end of its id if its name is not known. */
export const nameText = (id: string, named: RecordName | undefined, words: Words) => {
  const value = named?.value
  if (!value) return words.form.nameless(id.slice(-6))
  return displayText('name' in value ? value.name : nameOf(value), words)
}

interface NameRequest {
  readonly atMs: number
  readonly found: Promise<RecordName>
  named?: RecordName
}

const requests = new Map<string, NameRequest>()

/** For how long rows that are refreshed share one answer. */
const sharedMs = 1_000

/** The name of a referred record. Rows that refer to the same record share one request. */
export const findNameShared = (kind: string, id: string, isAgain: boolean): Promise<RecordName> => {
  const request = requests.get(id)
  if (request && (!isAgain || Date.now() - request.atMs < sharedMs)) return request.found
  const found = findName([kind, id], false, { isBackground: isAgain })
  const entry: NameRequest = { atMs: Date.now(), found }
  requests.set(id, entry)
  found.then(
    (named) => {
      entry.named = named
    },
    () => requests.delete(id),
  )
  return found
}

/** The name, if `findShared` has found it already. */
export const knownName = (id: string): RecordName | undefined => requests.get(id)?.named
