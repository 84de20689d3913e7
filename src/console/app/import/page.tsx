import { useEffect, useRef } from 'preact/hooks'
import { useStore } from '#console/app/state/store.ts'
import { focusTitle } from '#console/app/ui/focus.ts'
import { Page } from '#console/app/ui/page.tsx'
import { useWords } from '#console/app/words/index.ts'
import { course as kept } from './course.ts'
import { Drop } from './drop.tsx'
import { Preview } from './preview.tsx'
import { Progress } from './progress.tsx'
import { Refusals } from './refusals.tsx'

export const ImportPage = () => {
  const words = useWords()
  const course = useStore(kept)
  const { phase } = course
  useFocusAfter(phase)
  return (
    <Page title={words.pages.import} subtitle={words.import.subtitle}>
      {(phase === 'choosing' || phase === 'unreadable' || phase === 'reading') && <Drop course={course} />}
      {phase === 'ready' && course.batch && <Preview batch={course.batch} fileName={course.fileName} />}
      {course.batch && phase !== 'ready' && <Progress course={course} batch={course.batch} />}
      {course.batch && course.refusals.length > 0 && (
        <Refusals
          refusals={course.refusals}
          kind={course.batch.kind}
          unit={course.batch.unit}
          isEnded={phase !== 'running'}
        />
      )}
    </Page>
  )
}

/** The pressed button disappears with its part of the page, so the focus goes to the title. */
const useFocusAfter = (phase: string) => {
  const before = useRef(phase)
  useEffect(() => {
    if (before.current !== phase && document.activeElement === document.body) focusTitle()
    before.current = phase
  }, [phase])
}
