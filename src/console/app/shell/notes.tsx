import { useEffect, useState } from 'preact/hooks'
import { dismiss, type Note, notes, undo } from '#console/app/state/notes.ts'
import { useStore } from '#console/app/state/store.ts'
import { reasonOf } from '#console/app/ui/failed.tsx'
import { focusTitle } from '#console/app/ui/focus.ts'
import { Icon } from '#console/app/ui/icon.tsx'
import { Track } from '#console/app/ui/track.tsx'
import { useWords } from '#console/app/words/index.ts'

const stayMs = 6_000

export const Notes = () => (
  <div class="notes" role="log" aria-live="polite" aria-relevant="additions">
    {useStore(notes).map((note) => (
      <NoteCard key={note.id} note={note} />
    ))}
  </div>
)

const NoteCard = ({ note }: { note: Note }) => {
  const { id, text, failure } = note
  const words = useWords()
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (failure || isHeld) return
    const timer = setTimeout(() => dismiss(id), stayMs)
    return () => clearTimeout(timer)
  }, [id, failure, isHeld])
  const end = (action: (id: number) => void) => {
    action(id)
    focusTitle()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only keeps the note from disappearing
    <div
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocusIn={() => setHeld(true)}
      onFocusOut={() => setHeld(false)}
      class={`note ${failure ? 'note-failed' : ''}`}
    >
      <div class="note-body">
        <p>{text}</p>
        {failure && <p>{reasonOf(failure, words)}</p>}
        {failure && <Track id={failure.track} />}
      </div>
      {note.undo && (
        <button type="button" class="text-button" onClick={() => end(undo)}>
          {words.undo}
        </button>
      )}
      <button type="button" class="icon-button" aria-label={words.close} onClick={() => end(dismiss)}>
        <Icon name="close" />
      </button>
    </div>
  )
}
