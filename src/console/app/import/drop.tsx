import { useRef, useState } from 'preact/hooks'
import { Icon } from '#console/app/ui/icon.tsx'
import { useWords } from '#console/app/words/index.ts'
import type { Course } from './course.ts'
import type { Unreadable } from './record.ts'

interface DropParts {
  readonly course: Course
  readonly onFile: (file: File) => void
}

const accepted = '.csv,.json,.ndjson,.jsonl,.txt,text/csv,application/json'

/** A file is dropped, or chosen by the button. */
export const Drop = ({ course, onFile }: DropParts) => {
  const { import: words } = useWords()
  const [isOver, setOver] = useState(false)
  const chooser = useRef<HTMLInputElement>(null)
  const take = (files: FileList | null | undefined) => {
    const [file] = files ?? []
    if (file) onFile(file)
  }
  const takeChosen = (input: HTMLInputElement) => {
    take(input.files)
    // Else the same file, corrected, would be no change.
    input.value = ''
  }
  return (
    <>
      <section
        class={`drop ${isOver ? 'drop-over' : ''}`}
        aria-label={words.drop}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          take(event.dataTransfer?.files)
        }}
      >
        <Icon name="file" />
        <p class="drop-title">{course.phase === 'reading' ? words.reading : words.drop}</p>
        <p>{words.or}</p>
        <button type="button" class="button button-primary" onClick={() => chooser.current?.click()}>
          {words.choose}
        </button>
        <input
          ref={chooser}
          type="file"
          hidden
          accept={accepted}
          onChange={(event) => takeChosen(event.currentTarget)}
        />
      </section>
      {course.unreadable && <NotRead fileName={course.fileName} {...course.unreadable} />}
      <Columns />
    </>
  )
}

const NotRead = ({ fileName, why, line }: Unreadable & { fileName: string }) => {
  const { import: words } = useWords()
  return (
    <div class="failure" role="alert">
      <p class="failure-what">
        {words.unreadable}: {fileName}
      </p>
      <p>
        {line && `${words.line} ${line}: `}
        {words.unreadableReasons[why]}
      </p>
    </div>
  )
}

const columns = {
  members:
    'firstName, lastName, genderCode, dateOfBirth, emailAddress, telephoneNumber, zipCode, address, signId, password',
  todos: 'todoTitle, finished',
}

const Columns = () => {
  const { import: words } = useWords()
  return (
    <section class="sheet sheet-padded columns">
      <h2>{words.columns}</h2>
      <dl>
        <dt>{words.columnsMembers}</dt>
        <dd class="mono">{columns.members}</dd>
        <dt>{words.columnsTodos}</dt>
        <dd class="mono">{columns.todos}</dd>
      </dl>
      <p>{words.columnsForms}</p>
      <p>{words.columnsNote}</p>
    </section>
  )
}
