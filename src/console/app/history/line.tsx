import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Change, Import } from '#client/index.ts'
import { keepsHistory, pluralOf } from '#console/app/api/declared.ts'
import { authorOf, type Names } from '#console/app/api/names.ts'
import { nameText } from '#console/app/records/names.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Empty, TrackId } from '#console/app/ui/message.tsx'
import { formatDateTime, formatMoment, useWords, wordsNow } from '#console/app/words/index.ts'
import { isolate } from '#console/app/words/visible.ts'
import { fieldLabel, inPageOrder, manyOf, typeText } from './labels.ts'
import { type HistoryWords, historyWords } from './words.ts'

interface LineProps {
  readonly change: Change
  readonly names: Names
  /** The title, if it is not the name of the change type. */
  readonly title?: string
  /** A link to the record, or the note that this is the present version. */
  readonly afterTitle: ComponentChildren
  /** Further links, shown on demand. */
  readonly links?: ComponentChildren
  readonly action?: ComponentChildren
  /** The changed values. */
  readonly children?: ComponentChildren
}

/** One change: what was done, when and by whom. The track id and the links are shown on demand. */
export const Line = ({ change, names, title, afterTitle, links, action, children }: LineProps) => {
  const past = historyWords()
  const [isOpen, setOpen] = useState(false)
  const { type, time, data } = change
  return (
    <li class={`past ${type.endsWith('.deleted') ? 'past-deleted' : ''}`}>
      <div>
        <p>
          <strong>{title ?? typeText(type, past)}</strong> {afterTitle}
        </p>
        {children}
        <p class="past-meta">
          <time dateTime={time} title={formatDateTime(time)}>
            {formatMoment(time)}
          </time>
          <span>{past.by(authorText(data.by, names, past))}</span>
          <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {past.details}
          </button>
        </p>
        {isOpen && links && <p class="past-meta">{links}</p>}
        {isOpen && <TrackId id={data.track} />}
      </div>
      {action}
    </li>
  )
}

export const authorText = (by: string, names: Names, past: HistoryWords) => {
  const [kind, id] = authorOf(by)
  const author = id ? nameText(id, names.get(id), wordsNow()) : (past.authors[kind as 'anyone'] ?? kind)
  return kind === 'key' ? past.key(author) : author
}

interface LinesProps {
  readonly label: string
  readonly lines: readonly ComponentChildren[]
  readonly isLoading: boolean
  /** Undefined if there are no older changes. */
  readonly onOlder: (() => void) | undefined
}

export const Lines = ({ label, lines, isLoading, onOlder }: LinesProps) => {
  const past = historyWords()
  if (lines.length === 0) return <Empty icon="clock" title={past.none} text={past.noneText} />
  return (
    <>
      <ol class="sheet" aria-label={label} aria-busy={isLoading}>
        {lines}
      </ol>
      {onOlder && <Button text={past.older} isLocked={isLoading} onClick={onOlder} />}
    </>
  )
}

interface ChangeProps extends Pick<LineProps, 'change' | 'names' | 'action'> {
  /** The imports that still exist, by the track id of their changes. */
  readonly imports: ReadonlyMap<string, Import>
  /** The changed values. Without them, only the fields are named. */
  readonly children?: ComponentChildren
}

export const ChangeLine = ({ imports, ...props }: ChangeProps) => {
  const one = imports.get(props.change.data.track)
  return one ? <ImportLine {...props} one={one} /> : <RecordLine {...props} />
}

const ImportLine = ({ one, change, names }: Omit<ChangeProps, 'imports'> & { one: Import }) => {
  const past = historyWords()
  const { importId, name, state, counts, resource, options } = one
  const done = past.done[options.existing as 'change'] as typeof past.imported | undefined
  const undone = done ? past.undone : past.importUndone
  const title = state === 'undone' ? undone : (done ?? past.imported)(counts.applied, manyOf(resource))
  const about = name ?? (done ? manyOf(resource) : past.file)
  const page = <a href={hrefTo(`import/${importId}`)}>{isolate(about)}</a>
  return <Line change={change} names={names} title={title} afterTitle={page} />
}

/** A change with links to the record, to its other changes, and to other changes of the author. */
const RecordLine = ({ change, names, action, children }: Omit<ChangeProps, 'imports'>) => {
  const words = useWords()
  const past = historyWords()
  const { type, subject, data } = change
  const [kind = ''] = type.split('.')
  const named = names.get(subject)
  const name = nameText(subject, named, words)
  const record = `${pluralOf(kind)}/${subject}`
  const changes = hrefTo('activity', { id: subject })
  const history = keepsHistory(kind) ? hrefTo(`${record}/history`) : changes
  const isRecord = kind !== 'todo' && !named?.isGone
  const links = [
    ...(isRecord && history !== changes ? [[words.history, history] as const] : []),
    [past.onlyThis, changes] as const,
    [past.onlyBy, hrefTo('activity', { by: data.by })] as const,
  ]
  return (
    <Line
      change={change}
      names={names}
      afterTitle={
        <a href={isRecord ? hrefTo(record) : history} dir="auto">
          {name}
        </a>
      }
      action={action}
      links={links.map(([text, href]) => (
        <a key={text} href={href}>
          {text}
          <span class="unseen"> {name}</span>
        </a>
      ))}
    >
      {children}
      {!children && type.endsWith('.updated') && (
        <p>
          {inPageOrder(data.changed)
            .map((field) => fieldLabel(kind, field))
            .join(' · ')}
        </p>
      )}
    </Line>
  )
}
