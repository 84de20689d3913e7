import { useEffect } from 'preact/hooks'
import { isGone } from '#console/app/api/failure.ts'
import { importing, isWorking, trackImport } from '#console/app/state/importing.ts'
import { useLoad } from '#console/app/state/load.ts'
import { notify } from '#console/app/state/notes.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { isolate } from '#console/app/words/visible.ts'
import { type Import, type KnownImport, nameOf, plannedIn, readImport, stateOf } from './imports.ts'
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
    if (failure && isGone(failure)) importing.set(undefined)
  }, [value, failure])
  return loaded
}

/** Shows the progress of an import on other pages, with a link to its own. */
export const ImportProgress = ({ id }: { id: string }) => {
  const words = importWords()
  const one = useImport(id).value?.value
  const name = one && isolate(nameOf(one))
  const isOver = one !== undefined && !isWorking(one)
  useEffect(() => {
    if (isOver) notify(words.working(words.states[stateOf(one)], name ?? ''))
  }, [isOver])
  if (!one || isOver) return null
  return (
    <div class="banner banner-kept">
      <a href={hrefTo(`import/${id}`)}>
        {words.working(words.states[stateOf(one)], name ?? '', progressText(one, words))}
      </a>
      <ProgressBar one={one} />
    </div>
  )
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
