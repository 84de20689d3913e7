import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { type Failure, kindOf } from '#console/app/api/failure.ts'
import { locale } from '#console/app/state/preferences.ts'
import { useWords, type Words } from '#console/app/words/index.ts'
import { Button } from './button.tsx'
import { useTitleFocusOnUnmount } from './focus.ts'
import { Icon, type IconName } from './icon.tsx'

/** The reason of a failure, in the words of the service or, without these, of the console. */
export const reasonOf = (failure: Failure, words: Words): string => {
  const kind = kindOf(failure)
  if (kind === 'unreachable') return words.failure.unreachable
  if (failure.code === 'unintelligible') return words.failure.broken
  const details = failure.details.map(({ message }) => message)
  return (details.length > 0 ? details : [failure.message || words.failure[kind]]).join(' ')
}

const adviceOf = (failure: Failure, words: Words) => {
  const kind = kindOf(failure)
  if (failure.retryAfterMs) return words.failure.retryAfter(Math.ceil(failure.retryAfterMs / 1000))
  if (kind === 'unreachable') return words.failure.unreachableAdvice
  if (failure.status === 403) return words.failure.deniedAdvice
  return kind === 'broken' ? words.failure.brokenAdvice : undefined
}

interface FailedProps {
  readonly failure: Failure
  /** The reason, if the page can say it better than the service. */
  readonly text?: string | undefined
  readonly onRetry?: () => void
  /** Other ways to proceed. */
  readonly children?: ComponentChildren
}

/** Shows the reason, advice, and the id to quote to the operator. */
export const Failed = ({ failure, text, onRetry, children }: FailedProps) => {
  const words = useWords()
  const advice = adviceOf(failure, words)
  const element = useTitleFocusOnUnmount()
  return (
    <div ref={element} class="failure stack" role="alert">
      <p>
        <strong>{text ?? reasonOf(failure, words)}</strong>
      </p>
      {advice && <p>{advice}</p>}
      <p class="failure-track row soft">
        {failure.status > 0 && <span>{words.failure.status(failure.status)}</span>}
        {failure.code.startsWith('e.') && (
          <a href={`/docs/errors/${failure.code}?lang=${locale.get()}`} target="_blank" rel="noopener">
            {words.failure.explain(failure.code)}
          </a>
        )}
      </p>
      {failure.status > 0 && <TrackId id={failure.track} />}
      {onRetry && (
        <div class="actions">
          <Button text={words.retry} kind="small" onClick={onRetry} />
          {children}
        </div>
      )}
    </div>
  )
}

/** The id to quote to the operator, who finds it in the service's log. */
export const TrackId = ({ id }: { id: string }) => {
  const words = useWords()
  if (!id) return null
  return (
    <p class="failure-track row soft">
      {words.failure.track} <code>{id}</code> <Copy text={id} label={words.failure.track} />
    </p>
  )
}

/** Copies a text. A page loaded over plain HTTP from another machine has no clipboard. */
export const Copy = ({ text, label }: { text: string; label: string }) => {
  const words = useWords()
  const [isCopied, setCopied] = useState(false)
  if (!('clipboard' in navigator)) return null
  return (
    <button
      type="button"
      class="text-button"
      onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
    >
      {isCopied ? words.copied : words.copy}
      <span class="unseen"> {label}</span>
    </button>
  )
}

interface EmptyProps {
  readonly icon: IconName
  /** Omitted if the page already has this title. */
  readonly title?: string
  readonly text: string
  readonly children?: ComponentChildren
}

/** Shown in place of an empty list. The children are buttons that lead on. */
export const Empty = ({ icon, title, text, children }: EmptyProps) => (
  <div class="sheet empty">
    <Icon name={icon} />
    {title && <h2>{title}</h2>}
    <p>{text}</p>
    {children && <div class="actions">{children}</div>}
  </div>
)

/** Shown in place of a form that the service would refuse. */
export const NotAllowed = ({ text }: { text: string }) => {
  const words = useWords()
  return <Empty icon="key" title={text} text={words.notAllowed} />
}
