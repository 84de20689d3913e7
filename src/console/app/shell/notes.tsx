import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { dismiss, type Note, notes, undo } from '#console/app/state/notes.ts'
import { useStore } from '#console/app/state/store.ts'
import { IconButton } from '#console/app/ui/button.tsx'
import { reasonOf, Track } from '#console/app/ui/failed.tsx'
import { focusTitle } from '#console/app/ui/focus.ts'
import { useWords } from '#console/app/words/index.ts'

/** How long a note stays, without and with Undo. */
const stayMs = 6_000
const undoMs = 10_000

export const Notes = () => {
  const before = useRef<EventTarget | null>(null)
  return (
    <div
      class="notes"
      role="log"
      aria-live="polite"
      aria-relevant="additions"
      onFocusIn={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) before.current = relatedTarget
      }}
    >
      {useStore(notes).map((note) => (
        <NoteCard key={note.id} note={note} onEnd={(about) => focusAfter(about, before.current)} />
      ))}
    </div>
  )
}

/** Moves the focus to the record that was restored or, if it is not shown, to where the focus was before. */
const focusAfter = (about: string | undefined, before: EventTarget | null) =>
  requestAnimationFrame(() => {
    const shown = about === undefined ? null : document.getElementById(about)
    if (shown) shown.focus()
    else if (before instanceof HTMLElement && before.isConnected) before.focus()
    else focusTitle()
  })

interface NoteCardParts {
  readonly note: Note
  /** Called with the id of the record that was restored, if any. */
  readonly onEnd: (about?: string) => void
}

const NoteCard = ({ note, onEnd }: NoteCardParts) => {
  const { id, texts, failure, reason } = note
  const words = useWords()
  const [isHeld, setHeld] = useState(false)
  const body = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => body.current?.scrollIntoView({ block: 'end' }), [texts.length])
  useEffect(() => {
    if (failure || isHeld) return
    const timer = setTimeout(() => dismiss(id), note.undo ? undoMs : stayMs)
    return () => clearTimeout(timer)
  }, [id, failure, isHeld])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only keeps the note from disappearing
    <div
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocusIn={() => setHeld(true)}
      onFocusOut={() => setHeld(false)}
      class={`note ${failure ? 'note-failed' : ''}`}
    >
      <div ref={body} class="note-body">
        {texts.map((text) => (
          <p>{text}</p>
        ))}
        {failure && <p class="note-reason">{reason ?? reasonOf(failure, words)}</p>}
        {failure && failure.status > 0 && <Track id={failure.track} />}
      </div>
      {note.undo && (
        <button
          type="button"
          class="text-button"
          onClick={() => {
            undo(id)
            onEnd(note.about)
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
