import { findName, type Named } from '#console/app/api/changes.ts'
import { nameOf } from '#console/app/members/name.ts'
import type { Words } from '#console/app/words/index.ts'
import { displayText } from '#console/app/words/visible.ts'

/** The name of a record, or the end of its id if its name is not known. */
export const nameText = (id: string, named: Named | undefined, words: Words) => {
  const value = named?.value
  if (!value) return words.form.nameless(id.slice(-6))
  if ('todoTitle' in value) return displayText(value.todoTitle, words)
  return displayText('name' in value ? value.name : nameOf(value), words)
}

interface Asked {
  readonly atMs: number
  readonly found: Promise<Named>
  named?: Named
}

const asked = new Map<string, Asked>()

/** How long rows share one answer when they are refreshed. */
const sharedMs = 1_000

/** The name of a record that others refer to. Rows that refer to the same record share one request. */
export const findShared = (kind: string, id: string, isAgain: boolean): Promise<Named> => {
  const known = asked.get(id)
  if (known && (!isAgain || Date.now() - known.atMs < sharedMs)) return known.found
  const found = findName([kind, id], false, { isBackground: isAgain })
  const entry: Asked = { atMs: Date.now(), found }
  asked.set(id, entry)
  found.then(
    (named) => {
      entry.named = named
    },
    () => asked.delete(id),
  )
  return found
}

/** The name, if `findShared` has found it already. */
export const foundName = (id: string): Named | undefined => asked.get(id)?.named
