import { hrefTo } from '#console/app/state/route.ts'
import { Button } from '#console/app/ui/button.tsx'
import { useQuestion } from '#console/app/ui/dialog.tsx'
import { Failed } from '#console/app/ui/failed.tsx'
import { useWords, type Words } from '#console/app/words/index.ts'
import { again, type Course, resume, stop, titleOf } from './course.ts'
import type { Batch } from './record.ts'

export const Progress = ({ course, batch }: { course: Course; batch: Batch }) => {
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
        <li class="import-taken">{words.taken(done - refusals.length)}</li>
        <li class={refusals.length > 0 ? 'import-refused' : undefined}>{words.refused(refusals.length)}</li>
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
