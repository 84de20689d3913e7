import { useRef } from 'preact/hooks'
import { go } from '#console/app/state/route.ts'
import { store, useStore } from '#console/app/state/store.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Icon } from '#console/app/ui/icon.tsx'
import { useWords } from '#console/app/words/index.ts'
import { isolated } from '#console/app/words/visible.ts'
import { type Course, choose, course } from './course.ts'
import type { Unreadable } from './read.ts'
import { filled, isRequired, type Kind } from './record.ts'
import { labelOf } from './report.ts'

const accepted = '.csv,.tsv,.json,.ndjson,.jsonl,.txt,text/csv,application/json'

/** Takes a file that is dropped here or anywhere, or chosen with the button. */
export const Drop = ({ course }: { course: Course }) => {
  const { import: words } = useWords()
  const isOver = useStore(isDraggedOver)
  const chooser = useRef<HTMLInputElement>(null)
  const takeChosen = (input: HTMLInputElement) => {
    void choose([...(input.files ?? [])])
    // Otherwise choosing the same file again after correcting it would fire no event.
    input.value = ''
  }
  return (
    <>
      <section class={`drop ${isOver ? 'drop-over' : ''}`} aria-label={words.drop}>
        <Icon name="file" />
        <p class="drop-title">{course.phase === 'reading' ? words.reading : words.drop}</p>
        <p>{words.or}</p>
        <Button text={words.choose} kind="primary" onClick={() => chooser.current?.click()} />
        <input
          ref={chooser}
          type="file"
          hidden
          accept={accepted}
          onChange={(event) => takeChosen(event.currentTarget)}
        />
      </section>
      {course.unreadable && <UnreadableFile fileName={course.fileName} unreadable={course.unreadable} />}
      <Columns />
    </>
  )
}

const UnreadableFile = ({ fileName, unreadable }: { fileName: string; unreadable: Unreadable }) => {
  const { why, line } = unreadable
  const { import: words } = useWords()
  return (
    <div class="failure stack" role="alert">
      <p>
        <strong>
          {words.unreadable}: {isolated(fileName)}
        </strong>
      </p>
      <p>
        {line !== undefined && `${words.line} ${line}: `}
        {words.unreadableReasons[why]}
      </p>
    </div>
  )
}

const Columns = () => {
  const words = useWords()
  const { columnsNeeded, columnsOptional, columnsNote, comma } = words.import
  const names = (kind: Kind, wanted: boolean) =>
    filled[kind]
      .filter((field) => isRequired(kind, field) === wanted)
      .map((field) => labelOf(field, words))
      .join(comma)
  return (
    <section class="sheet sheet-padded columns stack">
      <h2>{columnsNeeded}</h2>
      {(['members', 'todos'] as const).map((kind) => (
        <p key={kind}>
          <strong>{words.pages[kind]}</strong>
          <br />
          {names(kind, true)}
          <br />
          {columnsOptional} {names(kind, false)}
        </p>
      ))}
      <p>{columnsNote}</p>
    </section>
  )
}

/** Whether files that would be accepted are being dragged over the page. */
const isDraggedOver = store(false)

/** Files may be dropped anywhere: otherwise the browser would open them in place of the console. */
export const watchDrops = () => {
  addEventListener('dragover', (event) => {
    const transfer = filesOf(event)
    if (!transfer) return
    event.preventDefault()
    isDraggedOver.set(takesFiles())
    if (!takesFiles()) transfer.dropEffect = 'none'
  })
  addEventListener('dragleave', ({ relatedTarget }) => {
    if (!relatedTarget) isDraggedOver.set(false)
  })
  addEventListener('drop', (event) => {
    const transfer = filesOf(event)
    if (!transfer) return
    event.preventDefault()
    isDraggedOver.set(false)
    if (!takesFiles()) return
    void choose([...transfer.files])
    go('import')
  })
}

const filesOf = ({ dataTransfer }: DragEvent) =>
  dataTransfer?.types.includes('Files') ? dataTransfer : undefined

/** Not once a file has been read: it, or the report of its import, would be lost. */
const takesFiles = () => ['choosing', 'unreadable'].includes(course.get().phase)
