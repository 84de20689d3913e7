import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { dismiss, type Note, notes, undo } from '#console/app/state/notes.ts'
import { useStore } from '#console/app/state/store.ts'
import { IconButton } from '#console/app/ui/button.tsx'
import { focusTitle } from '#console/app/ui/focus.ts'
import { reasonOf, TrackId } from '#console/app/ui/message.tsx'
import { useWords } from '#console/app/words/index.ts'

/** The time for which a note is shown: `stayMs` without an Undo button, `undoMs` with one. */
const stayMs = 6_000
const undoMs = 10_000

export const Notes = () => {
  const focusedBefore = useRef<EventTarget | null>(null)
  return (
    <div
      class="notes"
      role="log"
      aria-live="polite"
      aria-relevant="additions"
      onFocusIn={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) focusedBefore.current = relatedTarget
      }}
    >
      {useStore(notes).map((note) => (
        <NoteCard key={note.id} note={note} onEnd={(id) => focusAfter(id, focusedBefore.current)} />
      ))}
    </div>
  )
}

/** Moves the focus to the element with this id or, if the page has none, back to where the focus was before. */
const focusAfter = (focusId: string | undefined, before: EventTarget | null) =>
  requestAnimationFrame(() => {
    const shown = focusId === undefined ? null : document.getElementById(focusId)
    if (shown) shown.focus()
    else if (before instanceof HTMLElement && before.isConnected) before.focus()
    else focusTitle()
  })

interface NoteCardProps {
  readonly note: Note
  /** Called when the user closes the note or undoes its change. After Undo, `focusId` is the element to focus. */
  readonly onEnd: (focusId?: string) => void
}

const NoteCard = ({ note, onEnd }: NoteCardProps) => {
  const { id, texts, failure, reason } = note
  const words = useWords()
  const [hasAttention, setAttention] = useState(false)
  const body = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => body.current?.scrollIntoView({ block: 'end' }), [texts.length])
  useEffect(() => {
    if (failure || hasAttention) return
    const timer = setTimeout(() => dismiss(id), note.undo ? undoMs : stayMs)
    return () => clearTimeout(timer)
  }, [id, failure, hasAttention])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only keeps the note from disappearing
    <div
      onMouseEnter={() => setAttention(true)}
      onMouseLeave={() => setAttention(false)}
      onFocusIn={() => setAttention(true)}
      onFocusOut={() => setAttention(false)}
      class={`note ${failure ? 'note-failed' : ''}`}
    >
      <div ref={body} class="note-body">
        {texts.map((text) => (
          <p>{text}</p>
        ))}
        {failure && <p class="note-reason">{reason ?? reasonOf(failure, words)}</p>}
        {failure && failure.status > 0 && <TrackId id={failure.track} />}
      </div>
      {note.undo && (
        <button
          type="button"
          class="text-button"
          onClick={() => {
            undo(id)
            onEnd(note.focusId)
          }}
        >
          {words.undo}
        </button>
      )}
      <IconButton
        icon="close"
        label={words.close}
        onClick={() => {
          dismiss(id)
          onEnd()
        }}
      />
    </div>
  )
}
