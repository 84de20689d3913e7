import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Change } from '#client/index.ts'
import { authorOf, type Named, type Names } from '#console/app/api/changes.ts'
import { nameOf } from '#console/app/members/name.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Empty } from '#console/app/ui/empty.tsx'
import { Track } from '#console/app/ui/failed.tsx'
import { formatDateTime, formatMoment } from '#console/app/words/format.ts'
import { useWords, type Words } from '#console/app/words/index.ts'
import { displayText } from '#console/app/words/visible.ts'
import { inPageOrder, labelOf } from './rooms.ts'
import { type HistoryWords, useHistoryWords } from './words.ts'

/** What a record is called; one that is not known, by the end of its id. */
export const nameText = (id: string, named: Named | undefined, words: Words, past: HistoryWords) => {
  const value = named?.value
  if (!value) return past.nameless(id.slice(-6))
  if ('todoTitle' in value) return displayText(value.todoTitle, words)
  if ('url' in value) return displayText(value.description || value.url, words)
  return displayText('name' in value ? value.name : nameOf(value), words)
}

interface LineParts {
  readonly change: Change
  readonly names: Names
  /** Which record or version it is. */
  readonly about: ComponentChildren
  /** Where else to look. */
  readonly links?: ComponentChildren
  readonly action?: ComponentChildren
  /** What changed. */
  readonly children?: ComponentChildren
}

/** One change: what was done, when and by whom, and its track id on demand. */
export const Line = ({ change, names, about, links, action, children }: LineParts) => {
  const words = useWords()
  const past = useHistoryWords()
  const [isTracked, setTracked] = useState(false)
  const { type, time, data } = change
  const [kind, id] = authorOf(change)
  const called = id && nameText(id, names.get(id), words, past)
  const author = called ?? past.authors[kind as 'anyone'] ?? kind
  return (
    <li class={`past ${type.endsWith('.deleted') ? 'past-deleted' : ''}`}>
      <div>
        <p>
          <strong>{past.types[type as keyof typeof past.types] ?? type}</strong> {about}
        </p>
        {children}
        <p class="past-meta">
          <time dateTime={time} title={formatDateTime(time)}>
            {formatMoment(time)}
          </time>
          <span>{past.by(kind === 'key' ? past.key(author) : author)}</span>
          {links}
          <button type="button" aria-expanded={isTracked} onClick={() => setTracked(!isTracked)}>
            {past.track}
          </button>
        </p>
        {isTracked && <Track id={data.track} />}
      </div>
      {action}
    </li>
  )
}

interface LinesParts {
  readonly label: string
  readonly lines: readonly ComponentChildren[]
  readonly isLoading: boolean
  /** Undefined if there are none. */
  readonly onOlder: (() => void) | undefined
}

export const Lines = ({ label, lines, isLoading, onOlder }: LinesParts) => {
  const past = useHistoryWords()
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

/** A change of some record, with ways to the record and to its other changes. */
export const ChangeLine = ({ change, names }: { change: Change; names: Names }) => {
  const words = useWords()
  const past = useHistoryWords()
  const { type, subject, data } = change
  const [kind] = type.split('.')
  const named = names.get(subject)
  const name = nameText(subject, named, words, past)
  const pages: Readonly<Record<string, string>> = { key: 'keys', webhook: `webhooks/${subject}` }
  const history = pages[kind ?? ''] ?? `${kind}s/${subject}/history`
  const isRecord = kind === 'member' && !named?.isGone
  const links = [
    ...(isRecord ? [[words.members.history, hrefTo(history)] as const] : []),
    [past.onlyThis, hrefTo('activity', { id: subject })] as const,
  ]
  return (
    <Line
      change={change}
      names={names}
      about={
        <a href={hrefTo(isRecord ? `members/${subject}` : history)} dir="auto">
          {name}
        </a>
      }
      links={links.map(([text, href]) => (
        <a key={text} href={href}>
          {text}
          <span class="unseen"> {name}</span>
        </a>
      ))}
    >
      {type.endsWith('.updated') && (
        <p>
          {inPageOrder(data.changed)
            .map((field) => labelOf(field, words, past))
            .join(' · ')}
        </p>
      )}
    </Line>
  )
}
