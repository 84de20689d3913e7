import { useEffect, useRef } from 'preact/hooks'
import { hrefTo } from '#console/app/state/route.ts'
import { useStore } from '#console/app/state/store.ts'
import { Button } from '#console/app/ui/button.tsx'
import { useQuestion } from '#console/app/ui/dialog.tsx'
import { Failed } from '#console/app/ui/failed.tsx'
import { focusTitle } from '#console/app/ui/focus.ts'
import { Page } from '#console/app/ui/page.tsx'
import { useWords, type Words } from '#console/app/words/index.ts'
import { isolated } from '#console/app/words/visible.ts'
import { ColumnChoices } from './columns.tsx'
import { again, type Course, course as kept, type Loaded, resume, start, stop, titleOf } from './course.ts'
import { Drop } from './drop.tsx'
import { missingIn } from './mapping.ts'
import type { Batch } from './record.ts'
import { Refusals } from './refusals.tsx'
import { labelOf } from './report.ts'

export const ImportPage = () => {
  const words = useWords()
  const course = useStore(kept)
  const { phase, loaded } = course
  useFocusAfter(phase)
  return (
    <Page title={words.pages.import} subtitle={words.import.subtitle}>
      {(phase === 'choosing' || phase === 'unreadable' || phase === 'reading') && <Drop course={course} />}
      {loaded && phase === 'ready' && <Ready course={course} loaded={loaded} />}
      {loaded && phase !== 'ready' && <Progress course={course} batch={loaded.batch} />}
      {loaded && isTold(course, loaded) && <Refusals course={course} batch={loaded.batch} />}
    </Page>
  )
}

/** If nothing can be imported as long as a person is asked about the columns, the questions come first. */
const isTold = ({ phase, refusals }: Course, { batch, mapping }: Loaded) =>
  refusals.length > 0 &&
  !(phase === 'ready' && mapping.isDoubtful && refusals.length === batch.records.length)

/** The pressed button disappears with its part of the page, so the focus goes to the title. */
const useFocusAfter = (phase: string) => {
  const before = useRef(phase)
  useEffect(() => {
    if (before.current !== phase && document.activeElement === document.body) focusTitle()
    before.current = phase
  }, [phase])
}

/** What a file holds, before anything is sent. */
const Ready = ({ course: { fileName, done }, loaded }: { course: Course; loaded: Loaded }) => {
  const words = useWords()
  const { start: startText, another, ready, faulty, columnMissing } = words.import
  const { batch, mapping } = loaded
  const good = batch.records.length - done
  return (
    <section class="sheet sheet-padded import-part stack">
      <h2>
        {isolated(fileName)}{' '}
        <span class="import-count" role="status">
          {ready[batch.kind](good)}
          {done > 0 && faulty(done)}
        </span>
      </h2>
      <ColumnChoices loaded={loaded} />
      {missingIn(mapping).map((field) => (
        <p class="field-error" key={field}>
          {columnMissing(labelOf(field, words))}
        </p>
      ))}
      <div class="actions">
        {good > 0 && <Button text={startText} kind="primary" onClick={start} />}
        <Button text={another} kind="quiet" onClick={again} />
      </div>
    </section>
  )
}

const Progress = ({ course, batch }: { course: Course; batch: Batch }) => {
  const allWords = useWords()
  const { import: words } = allWords
  const { ask, question } = useQuestion()
  const { phase, done, refusals, failure, perSecond } = course
  const total = batch.records.length
  const isRunning = phase === 'running'
  const title = titleOf(course, allWords)
  const giveUp = () =>
    ask({
      title: words.giveUpTitle,
      text: words.giveUpText(total - done),
      yes: words.giveUp,
      onYes: again,
    })
  return (
    <section class="sheet sheet-padded import-part stack">
      <h2>{title}</h2>
      <p class="unseen" role="status">
        {isRunning
          ? words.running
          : words.outcome(title, words.taken(done - refusals.length), words.refused(refusals.length))}
      </p>
      <progress class="progress" value={done} max={total} aria-label={words.running} />
      <ul class="import-figures row">
        <li>{words.progress(done, total)}</li>
        <li class="well">{words.taken(done - refusals.length)}</li>
        <li class={refusals.length > 0 ? 'wrong' : undefined}>{words.refused(refusals.length)}</li>
        {isRunning && perSecond > 0 && (
          <li>{words.pace(Math.round(perSecond), durationOf((total - done) / perSecond, words))}</li>
        )}
      </ul>
      {phase === 'done' && refusals.length === 0 && <p>{words.allTaken}</p>}
      {failure && <Failed failure={failure} />}
      <div class="actions">
        {isRunning ? (
          <Button text={words.stop} onClick={stop} />
        ) : (
          <>
            {phase !== 'done' && <Button text={words.resume} kind="primary" onClick={resume} />}
            <Button
              text={words.see[batch.kind]}
              kind={phase === 'done' ? 'primary' : ''}
              href={hrefTo(batch.kind)}
            />
            <Button text={words.another} kind="quiet" onClick={phase === 'done' ? again : giveUp} />
          </>
        )}
      </div>
      {question}
    </section>
  )
}

const durationOf = (seconds: number, words: Words['import']) =>
  seconds < 90 ? words.seconds(Math.ceil(seconds)) : words.minutes(Math.ceil(seconds / 60))
