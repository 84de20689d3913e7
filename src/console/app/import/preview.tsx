import { useWords } from '#console/app/words/index.ts'
import type { Batch } from './record.ts'

interface PreviewParts {
  readonly batch: Batch
  readonly fileName: string
  readonly onStart: () => void
  readonly onAgain: () => void
}

const shownRecords = 5
const shownLetters = 500

/** A preview of the file, before anything is sent. Passwords are not shown. */
export const Preview = ({ batch: { kind, unit, records }, fileName, onStart, onAgain }: PreviewParts) => {
  const { import: words } = useWords()
  const unread = records.filter(({ body }) => !body).length
  const count =
    unread === 0 ? words.ready[kind](records.length) : words.readyInPart[unit](records.length, unread)
  return (
    <section class="sheet sheet-padded import-part">
      <h2>
        {fileName} <span class="import-count">{count}</span>
      </h2>
      <p>{words.preview}</p>
      <ol class="import-records">
        {records.slice(0, shownRecords).map(({ line, body, fault = 'unparsed' }) => (
          <li key={line}>
            <span class="import-line">
              {words[unit]} {line}
            </span>
            <code>{body ? textOf(body).slice(0, shownLetters) : words.faults[fault]}</code>
          </li>
        ))}
      </ol>
      <div class="form-actions">
        <button type="button" class="button button-primary" onClick={onStart}>
          {words.start}
        </button>
        <button type="button" class="button button-quiet" onClick={onAgain}>
          {words.another}
        </button>
      </div>
    </section>
  )
}

const textOf = (body: Readonly<Record<string, unknown>>): string =>
  Object.entries(body)
    .map(([name, value]) => {
      if (name === 'password') return '••••'
      return typeof value === 'object' && value !== null
        ? textOf(value as Record<string, unknown>)
        : String(value)
    })
    .join(' · ')
