import { failureOf, isConflict } from '#console/app/api/failure.ts'
import { notify } from '#console/app/state/notes.ts'
import { reportNotDone } from '#console/app/ui/bulk.ts'
import { wordsNow } from '#console/app/words/index.ts'
import { isolate } from '#console/app/words/visible.ts'
import { valueAt } from '#core/csv.ts'
import { compare, type Draft, draftOf, valuesOf } from './draft.ts'
import { differences, fieldsOf, type Kind, labelsOf, type VersionedItem } from './kind.ts'

interface Edit {
  /** The version that the user has edited. */
  readonly base: object
  readonly mine: Draft
}

interface SavedEdit {
  readonly saved: object
  /** The record before the change. */
  readonly before: object
  /** The fields that somebody else has changed meanwhile. */
  readonly theirs: readonly string[]
}

/**
 * Saves an edit on top of the stored version. If somebody else has changed other fields, the result has both changes. If both
 * changed the same field, saves nothing and returns the stored version.
 */
export const saveMerged = async (
  kind: Kind,
  { base, mine }: Edit,
  known?: VersionedItem,
): Promise<SavedEdit | VersionedItem> => {
  const fields = fieldsOf(kind.form())
  const draftFrom = (item: object) => draftOf(fields, item)
  const id = kind.idOf(base)
  for (let current = known ?? (await kind.read(id)); ; ) {
    const { clashes, merged, theirs } = compare(draftFrom(base), mine, draftFrom(current.value))
    if (clashes.length > 0) return current
    try {
      const { value: saved } = await kind.update(current, valuesOf(fields, merged, current.value))
      return { saved, before: current.value, theirs }
    } catch (error) {
      if (!isConflict(failureOf(error))) throw error
      current = await kind.read(id)
      if (!kind.may('update', current.value)) throw error
    }
  }
}

/**
 * Shows a note about a saved record. Its Undo works unless somebody else changes the same fields. `show` shows the restored record
 * in a list that is not refreshed while the focus is in it.
 */
export const notifySaved = (
  kind: Kind,
  { saved, before, theirs }: SavedEdit,
  show?: (restored: object) => void,
) => {
  const words = kind.words()
  const name = isolate(kind.titleOf(saved))
  const text =
    theirs.length === 0
      ? words.saved(name)
      : words.savedWithTheirs(name, labelsOf(fieldsOf(kind.form()), theirs))
  const undo = () =>
    undoSave(kind, saved, before).then(
      (restored) => {
        show?.(restored)
        notify(kind.words().putBack(name))
      },
      reportNotDone(kind.words().notPutBack(name)),
    )
  notify(text, { undo, focusId: kind.idOf(saved) })
}

/** Restores the old values of the changed fields. Fails if somebody has changed these fields since. */
const undoSave = async (kind: Kind, saved: object, before: object): Promise<object> => {
  const fields = fieldsOf(kind.form())
  const changed = differences(fields, saved, before)
  const now = await kind.read(kind.idOf(saved))
  if (differences(changed, saved, now.value).length > 0) throw new Error(wordsNow().bulk.changed)
  const values = fields.map(({ name }) => {
    const isMine = changed.some((field) => field.name === name)
    return [name, valueAt(isMine ? before : now.value, name)] as const
  })
  try {
    return (await kind.update(now, Object.fromEntries(values))).value
  } catch (error) {
    if (!isConflict(failureOf(error))) throw error
    return undoSave(kind, saved, before)
  }
}
