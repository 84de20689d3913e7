import { failureOf } from '#console/app/api/failure.ts'
import { findName } from '#console/app/api/names.ts'
import { nameText } from '#console/app/records/names.ts'
import { notify, notifyFailure } from '#console/app/state/notes.ts'
import { showAgain } from '#console/app/state/removal.ts'
import { trackImport } from '#console/app/state/running-imports.ts'
import { listNames, maxNamed } from '#console/app/ui/bulk.ts'
import { wordsNow } from '#console/app/words/index.ts'
import { isolate } from '#console/app/words/visible.ts'
import { bulkChangeOf, eachRow, type ImportRow, runImportAction, type VersionedImport } from './imports.ts'

/** Shows the result of a bulk change or of its undo, and names the records that it could not change. */
export const notifyBulkResult = async (loaded: VersionedImport) => {
  const { importId, counts, state, resource } = loaded.value
  const { bulk } = wordsNow()
  const isDeletion = bulkChangeOf(loaded.value) === 'delete'
  const untouchedRows: ImportRow[] = []
  if (state === 'done') {
    for await (const row of eachRow(importId, 'refused')) untouchedRows.push(row)
    showAgain(untouchedRows.flatMap(({ recordId }) => recordId ?? []))
    const text = (isDeletion ? bulk.removed : bulk.changedAll)(counts.applied)
    const undo = () => undoBulkChange(loaded)
    if (counts.applied > 0) notify(text, { undo, focusId: importId })
  } else {
    const ids: string[] = []
    for await (const row of eachRow(importId, isDeletion ? 'deleted' : 'changed')) {
      if (row.isApplied) untouchedRows.push(row)
      else if (row.recordId !== null) ids.push(row.recordId)
    }
    showAgain(ids)
    if (ids.length > 0) notify((isDeletion ? bulk.restored : bulk.putBack)(ids.length))
  }
  if (untouchedRows.length === 0) return
  const verb = !isDeletion ? 'change' : state === 'done' ? 'remove' : 'restore'
  const reasons = new Set(untouchedRows.flatMap(({ faults }) => faults.map(({ message }) => message)))
  const total = state === 'done' ? counts.rows : counts.changed + counts.deleted
  const text = `${bulk.failed(untouchedRows.length, total, bulk.notDone[verb])}: ${await namesOfRows(resource, untouchedRows)}`
  // No request failed: the rows say why they were refused.
  notifyFailure(text, failureOf(new Error()), [...reasons].join(' '))
}

const undoBulkChange = async (loaded: VersionedImport) => {
  try {
    trackImport((await runImportAction(loaded, 'undo')).value)
  } catch (error) {
    notifyFailure(wordsNow().bulk.notUndone, failureOf(error))
  }
}

const namesOfRows = async (resource: string, rows: readonly ImportRow[]) => {
  const named = rows.map(async ({ recordId }, at) => {
    if (recordId === null || at >= maxNamed) return { name: '…' }
    const found = await findName([resource, recordId], false, {}).catch(() => undefined)
    return { name: isolate(nameText(recordId, found, wordsNow())) }
  })
  return listNames(await Promise.all(named))
}
