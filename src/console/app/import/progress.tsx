import { useEffect } from 'preact/hooks'
import { isGone } from '#console/app/api/failure.ts'
import { useLoad } from '#console/app/state/load.ts'
import { notify } from '#console/app/state/notes.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { forgetImport, isRunning, trackImport } from '#console/app/state/running-imports.ts'
import { isolate } from '#console/app/words/visible.ts'
import { notifyBulkResult } from './bulk-result.ts'
import {
  bulkChangeOf,
  type Import,
  nameOf,
  plannedCount,
  readImport,
  stateOf,
  type VersionedImport,
} from './imports.ts'
import { importWords } from './words.ts'

/** Reads an import every second, but not while the page `isBusy` with a change, because the answer might be older than the change. */
export const useImport = (id: string, isBusy?: () => boolean) => {
  const loaded = useLoad(
    `import ${id}`,
    (options, previous?: VersionedImport) => readImport(id, options, previous),
    { pollMs: 1_000, ...(isBusy && { isBusy }) },
  )
  const { value, failure } = loaded
  useEffect(() => {
    if (value) trackImport(value.value)
    if (failure && isGone(failure)) forgetImport(id)
  }, [value, failure])
  return loaded
}

/** Shows the progress of an import on other pages, with a link to its page. */
export const ImportProgress = ({ id }: { id: string }) => {
  const words = importWords()
  const loaded = useImport(id).value
  const job = loaded?.value
  const name = job && isolate(nameOf(job))
  const isFinished = job !== undefined && !isRunning(job)
  useEffect(() => {
    if (!loaded || !job || !isFinished) return
    if (bulkChangeOf(job) && (job.state === 'done' || job.state === 'undone')) void notifyBulkResult(loaded)
    else notify(words.stateLine(words.states[stateOf(job)], name ?? ''))
  }, [isFinished])
  if (!job || isFinished) return null
  return (
    <div class="banner banner-kept">
      <a href={hrefTo(`import/${id}`)}>
        {words.stateLine(stateText(job, words), name ?? '', progressText(job, words))}
      </a>
      <ProgressBar job={job} />
    </div>
  )
}

/** The state of an import. A bulk change is not called an import. */
export const stateText = (job: Import, words: ReturnType<typeof importWords>) => {
  const change = bulkChangeOf(job)
  const isInProgress = job.state === 'reading' || job.state === 'applying'
  return change && isInProgress ? words.changing[change] : words.states[stateOf(job)]
}

export const progressText = (job: Import, words: ReturnType<typeof importWords>) => {
  const { counts, state } = job
  return state === 'reading' ? words.read(counts.rows) : words.progress(counts.applied, plannedCount(job))
}

/** The number of applied rows. While the file is read, the number of rows is unknown. */
export const ProgressBar = ({ job }: { job: Import }) => {
  const { counts, state } = job
  const done = state === 'reading' ? {} : { value: counts.applied, max: plannedCount(job) }
  return <progress class="progress" aria-label={importWords().states[stateOf(job)]} {...done} />
}
