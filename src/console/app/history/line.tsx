import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Change, Import } from '#client/index.ts'
import { keepsHistory, pluralOf } from '#console/app/api/declared.ts'
import { authorOf, type Names } from '#console/app/api/names.ts'
import { nameText } from '#console/app/records/names.ts'
import { useName } from '#console/app/records/value.tsx'
import { hrefTo } from '#console/app/state/route.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Empty, TrackId } from '#console/app/ui/message.tsx'
import { formatDateTime, formatMoment, useWords, wordsNow } from '#console/app/words/index.ts'
import { isolate } from '#console/app/words/visible.ts'
import { fieldLabel, inPageOrder, pluralLabelOf, typeLabel } from './labels.ts'
import { type HistoryWords, historyWords } from './words.ts'

interface LineProps {
  readonly change: Change
  readonly names: Names
  /** The title, if it is not the name of the change type. */
  readonly title?: string
  /** A link to the record, or the note that this is the present version. */
  readonly afterTitle: ComponentChildren
  /** Further links, which the user can unfold. */
  readonly links?: ComponentChildren
  readonly action?: ComponentChildren
  /** The changed values. */
  readonly children?: ComponentChildren
}

/** One change: what was done, when and by whom. The user can unfold the track id and the links. */
export const Line = ({ change, names, title, afterTitle, links, action, children }: LineProps) => {
  const labels = historyWords()
  const [isOpen, setOpen] = useState(false)
  const { type, time, data } = change
  return (
    <li class={`past ${type.endsWith('.deleted') ? 'past-deleted' : ''}`}>
      <div>
        <p>
          <strong>{title ?? typeLabel(type, labels)}</strong> {afterTitle}
        </p>
        {children}
        <p class="past-meta">
          <time dateTime={time} title={formatDateTime(time)}>
            {formatMoment(time)}
          </time>
          <span>{labels.by(authorText(data.by, names, labels))}</span>
          <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {labels.details}
          </button>
        </p>
        {isOpen && links && <p class="past-meta">{links}</p>}
        {isOpen && <TrackId id={data.track} />}
      </div>
      {action}
    </li>
  )
}

export const authorText = (by: string, names: Names, labels: HistoryWords) => {
  const [kind, id] = authorOf(by)
  const author = id ? nameText(id, names.get(id), wordsNow()) : (labels.authors[kind as 'anyone'] ?? kind)
  return kind === 'key' ? labels.key(author) : author
}

/** The text for an author, whose name is loaded. */
export const useAuthor = (by: string): string => {
  const [kind, id = ''] = authorOf(by)
  const { value } = useName(kind, id)
  return authorText(by, value ? new Map([[id, value]]) : new Map(), historyWords())
}

interface LinesProps {
  readonly label: string
  readonly lines: readonly ComponentChildren[]
  readonly isLoading: boolean
  /** Undefined if there are no older changes. */
  readonly onOlder: (() => void) | undefined
}

export const Lines = ({ label, lines, isLoading, onOlder }: LinesProps) => {
  const labels = historyWords()
  if (lines.length === 0) return <Empty icon="clock" title={labels.none} text={labels.noneText} />
  return (
    <>
      <ol class="sheet" aria-label={label} aria-busy={isLoading}>
        {lines}
      </ol>
      {onOlder && <Button text={labels.older} isLocked={isLoading} onClick={onOlder} />}
    </>
  )
}

interface ChangeProps extends Pick<LineProps, 'change' | 'names' | 'action'> {
  /** The imports that still exist, by the track id of their changes. */
  readonly imports: ReadonlyMap<string, Import>
  /** The changed values. Without values, the line lists the changed fields. */
  readonly children?: ComponentChildren
}

export const ChangeLine = ({ imports, ...props }: ChangeProps) => {
  const job = imports.get(props.change.data.track)
  return job ? <ImportLine {...props} job={job} /> : <RecordLine {...props} />
}

const ImportLine = ({ job, change, names }: Omit<ChangeProps, 'imports'> & { job: Import }) => {
  const labels = historyWords()
  const { importId, name, state, counts, resource, options } = job
  const bulkTitle = labels.done[options.existing as 'change'] as typeof labels.imported | undefined
  const undone = bulkTitle ? labels.undone : labels.importUndone
  const title =
    state === 'undone' ? undone : (bulkTitle ?? labels.imported)(counts.applied, pluralLabelOf(resource))
  const linkText = name ?? (bulkTitle ? pluralLabelOf(resource) : labels.file)
  const link = <a href={hrefTo(`import/${importId}`)}>{isolate(linkText)}</a>
  return <Line change={change} names={names} title={title} afterTitle={link} />
}

/** A change with links to the record, to its other changes, and to other changes of the author. */
const RecordLine = ({ change, names, action, children }: Omit<ChangeProps, 'imports'>) => {
  const words = useWords()
  const labels = historyWords()
  const { type, subject, data } = change
  const [kind = ''] = type.split('.')
  const recordName = names.get(subject)
  const name = nameText(subject, recordName, words)
  const recordPath = `${pluralOf(kind)}/${subject}`
  const changesHref = hrefTo('activity', { id: subject })
  const historyHref = keepsHistory(kind) ? hrefTo(`${recordPath}/history`) : changesHref
  const hasPage = kind !== 'todo' && !recordName?.isGone
  const links = [
    ...(hasPage && historyHref !== changesHref ? [[words.history, historyHref] as const] : []),
    [labels.onlyThis, changesHref] as const,
    [labels.onlyBy, hrefTo('activity', { by: data.by })] as const,
  ]
  return (
    <Line
      change={change}
      names={names}
      afterTitle={
        <a href={hasPage ? hrefTo(recordPath) : historyHref} dir="auto">
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
