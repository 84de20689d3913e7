import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Change } from '#client/index.ts'
import { authorOf, type Named, type Names } from '#console/app/api/changes.ts'
import { nameOf } from '#console/app/members/name.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { Track } from '#console/app/ui/failed.tsx'
import { Icon, type IconName } from '#console/app/ui/icon.tsx'
import { formatDateTime, formatMoment } from '#console/app/words/format.ts'
import { useWords, type Words } from '#console/app/words/index.ts'
import { displayText } from '#console/app/words/visible.ts'
import { type HistoryWords, useHistoryWords } from './words.ts'

const icons: Readonly<Record<string, IconName>> = {
  created: 'plus',
  deleted: 'bin',
  credentialChanged: 'key',
  roleChanged: 'members',
}

/** The kind of record that changed, and what was done. */
export const partsOf = ({ type }: Change) => type.split('.') as [string, string]

const typeText = (type: string, { types }: HistoryWords) =>
  (types as Readonly<Record<string, string>>)[type] ?? type

/** What a record is called; one that is not known, by the end of its id. */
export const nameText = (
  named: Named | undefined,
  id: string,
  { words, past }: { readonly words: Words; readonly past: HistoryWords },
) => {
  const value = named?.value
  if (!value) return past.unnamed(id.slice(-6))
  if ('todoTitle' in value) return displayText(value.todoTitle, words)
  return displayText('name' in value ? value.name : nameOf(value), words)
}

interface LineParts {
  readonly change: Change
  readonly names: Names
  /** Which record changed, where the page does not say it. */
  readonly about?: ComponentChildren
  /** Where else to look. */
  readonly links?: ComponentChildren
  readonly actions?: ComponentChildren
  /** What changed. */
  readonly children?: ComponentChildren
}

/** One change: what was done, when and by whom, and its track id on demand. */
export const Line = ({ change, names, about, links, actions, children }: LineParts) => {
  const past = useHistoryWords()
  const [isTracked, setTracked] = useState(false)
  const { type, time, data } = change
  const [, done] = partsOf(change)
  return (
    <li class="past">
      <span class={`past-icon past-${done}`}>
        <Icon name={icons[done] ?? 'pencil'} />
      </span>
      <div class="past-body">
        <p>
          <strong>{typeText(type, past)}</strong> {about}
        </p>
        {children}
        <p class="past-meta">
          <time dateTime={time} title={formatDateTime(time)}>
            {formatMoment(time)}
          </time>
          <span>
            {past.by} <Author change={change} names={names} />
          </span>
          {links}
          {data.track && (
            <button
              type="button"
              class="text-button"
              aria-expanded={isTracked}
              onClick={() => setTracked(!isTracked)}
            >
              {past.track}
            </button>
          )}
        </p>
        {isTracked && <Track id={data.track} />}
      </div>
      {actions}
    </li>
  )
}

const Author = ({ change, names }: Pick<LineParts, 'change' | 'names'>) => {
  const words = useWords()
  const past = useHistoryWords()
  const { kind, id } = authorOf(change)
  if (id === undefined) return <>{(past.authors as Readonly<Record<string, string>>)[kind] ?? kind}</>
  if (kind !== 'member' && kind !== 'key') return <>{past.client(id)}</>
  const named = names.get(id)
  const name = nameText(named, id, { words, past })
  if (kind === 'key') return <>{past.key(name)}</>
  return <a href={hrefTo(`members/${id}${named?.isGone ? '/history' : ''}`)}>{name}</a>
}
