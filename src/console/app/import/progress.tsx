import { useEffect } from 'preact/hooks'
import { isGone } from '#console/app/api/failure.ts'
import { useLoad } from '#console/app/state/load.ts'
import { notify } from '#console/app/state/notes.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { forgetImport, isRunning, trackImport } from '#console/app/state/running-imports.ts'
import { isolate } from '#console/app/words/visible.ts'
import { tellChanged } from './changed.ts'
import { changeOf, type Import, type KnownImport, nameOf, plannedIn, readImport, stateOf } from './imports.ts'
import { importWords } from './words.ts'

/** Reads an import until its work has ended, but not while the page `isBusy` with a change, because the answer might be older than the change. */
export const useImport = (id: string, isBusy?: () => boolean) => {
  const loaded = useLoad(`import ${id}`, (options, before?: KnownImport) => readImport(id, options, before), {
    everyMs: 1_000,
    ...(isBusy && { isBusy }),
  })
  const { value, failure } = loaded
  useEffect(() => {
    if (value) trackImport(value.value)
    if (failure && isGone(failure)) forgetImport(id)
  }, [value, failure])
  return loaded
}

/** Shows the progress of an import on other pages, with a link to its own. */
export const ImportProgress = ({ id }: { id: string }) => {
  const words = importWords()
  const known = useImport(id).value
  const one = known?.value
  const name = one && isolate(nameOf(one))
  const isOver = one !== undefined && !isRunning(one)
  useEffect(() => {
    if (!known || !one || !isOver) return
    if (changeOf(one) && (one.state === 'done' || one.state === 'undone')) void tellChanged(known)
    else notify(words.working(words.states[stateOf(one)], name ?? ''))
  }, [isOver])
  if (!one || isOver) return null
  return (
    <div class="banner banner-kept">
      <a href={hrefTo(`import/${id}`)}>
        {words.working(stateText(one, words), name ?? '', progressText(one, words))}
      </a>
      <ProgressBar one={one} />
    </div>
  )
}

/** The state of an import. A change of many records is not called one. */
export const stateText = (one: Import, words: ReturnType<typeof importWords>) => {
  const change = changeOf(one)
  const isForward = one.state === 'reading' || one.state === 'applying'
  return change && isForward ? words.changing[change] : words.states[stateOf(one)]
}

export const progressText = (one: Import, words: ReturnType<typeof importWords>) => {
  const { counts, state } = one
  return state === 'reading' ? words.read(counts.rows) : words.progress(counts.applied, plannedIn(one))
}

/** How many rows are applied. While the file is read, the number of rows is unknown. */
export const ProgressBar = ({ one }: { one: Import }) => {
  const { counts, state } = one
  const done = state === 'reading' ? {} : { value: counts.applied, max: plannedIn(one) }
  return <progress class="progress" aria-label={importWords().states[stateOf(one)]} {...done} />
}
