import { failureOf } from '#console/app/api/failure.ts'
import { findName } from '#console/app/api/names.ts'
import { nameText } from '#console/app/records/names.ts'
import { notify, notifyFailure } from '#console/app/state/notes.ts'
import { showAgain } from '#console/app/state/removal.ts'
import { trackImport } from '#console/app/state/running-imports.ts'
import { listNames, maxNamed } from '#console/app/ui/bulk.ts'
import { wordsNow } from '#console/app/words/index.ts'
import { isolate } from '#console/app/words/visible.ts'
import { changeOf, eachRow, type ImportRow, type KnownImport, runImportAction } from './imports.ts'

/** Says what a change of many records has done, or what its undo has put back, and which records stayed as they were. */
export const tellChanged = async (known: KnownImport) => {
  const { importId, counts, state, resource } = known.value
  const { many } = wordsNow()
  const isDeletion = changeOf(known.value) === 'delete'
  const left: ImportRow[] = []
  if (state === 'done') {
    for await (const row of eachRow(importId, 'refused')) left.push(row)
    showAgain(left.flatMap(({ recordId }) => recordId ?? []))
    const text = (isDeletion ? many.removed : many.changedAll)(counts.applied)
    const undo = () => undoChange(known)
    if (counts.applied > 0) notify(text, { undo, focusId: importId })
  } else {
    const ids: string[] = []
    for await (const row of eachRow(importId, isDeletion ? 'deleted' : 'changed')) {
      if (row.isApplied) left.push(row)
      else if (row.recordId !== null) ids.push(row.recordId)
    }
    showAgain(ids)
    if (ids.length > 0) notify((isDeletion ? many.restored : many.putBack)(ids.length))
  }
  if (left.length === 0) return
  const verb = !isDeletion ? 'change' : state === 'done' ? 'remove' : 'restore'
  const reasons = new Set(left.flatMap(({ faults }) => faults.map(({ message }) => message)))
  const total = state === 'done' ? counts.rows : counts.changed + counts.deleted
  const text = `${many.failed(left.length, total, many.notDone[verb])}: ${await namesIn(resource, left)}`
  notifyFailure(text, failureOf(new Error()), [...reasons].join(' '))
}

const undoChange = async (known: KnownImport) => {
  try {
    trackImport((await runImportAction(known, 'undo')).value)
  } catch (error) {
    notifyFailure(wordsNow().many.notUndone, failureOf(error))
  }
}

const namesIn = async (resource: string, rows: readonly ImportRow[]) => {
  const named = rows.map(async ({ recordId }, at) => {
    if (recordId === null || at >= maxNamed) return { name: '…' }
    const found = await findName([resource, recordId], false, {}).catch(() => undefined)
    return { name: isolate(nameText(recordId, found, wordsNow())) }
  })
  return listNames(await Promise.all(named))
}
