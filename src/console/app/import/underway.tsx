import { hrefTo, route } from '#console/app/state/route.ts'
import { useStore } from '#console/app/state/store.ts'
import { useWords } from '#console/app/words/index.ts'
import { course } from './course.ts'

/** Shows the progress of an import on every other page. */
export const Underway = () => {
  const { import: words } = useWords()
  const { phase, batch, done } = useStore(course)
  const { path } = useStore(route)
  if (phase !== 'running' || !batch || path[0] === 'import') return null
  const total = batch.records.length
  return (
    <a class="underway" href={hrefTo('import')}>
      {words.running}: {words.progress(done, total)}
      <progress class="progress" value={done} max={total} aria-hidden="true" />
    </a>
  )
}
