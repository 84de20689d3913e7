import { dismiss, type Note, notes } from '#console/app/state/notes.ts'
import { useStore } from '#console/app/state/store.ts'
import { reasonOf } from '#console/app/ui/failed.tsx'
import { Icon } from '#console/app/ui/icon.tsx'
import { Track } from '#console/app/ui/track.tsx'
import { useWords } from '#console/app/words/index.ts'

export const Notes = () => (
  <div class="notes" role="log" aria-live="polite" aria-relevant="additions">
    {useStore(notes).map((note) => (
      <NoteCard key={note.id} note={note} />
    ))}
  </div>
)

const NoteCard = ({ note: { id, text, failure, undo } }: { note: Note }) => {
  const words = useWords()
  return (
    <div class={`note ${failure ? 'note-failed' : ''}`}>
      <div class="note-body">
        <p>{text}</p>
        {failure && <p>{reasonOf(failure, words)}</p>}
        {failure && <Track id={failure.track} />}
      </div>
      {undo && (
        <button
          type="button"
          class="text-button"
          onClick={() => {
            dismiss(id)
            undo()
          }}
        >
          {words.undo}
        </button>
      )}
      <button type="button" class="icon-button" aria-label={words.close} onClick={() => dismiss(id)}>
        <Icon name="close" />
      </button>
    </div>
  )
}
