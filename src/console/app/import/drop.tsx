import { useEffect, useRef } from 'preact/hooks'
import { droppedFiles, isDraggedOver, takeDroppedFiles } from '#console/app/state/dropped-files.ts'
import { useStore } from '#console/app/state/store.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Icon } from '#console/app/ui/icon.tsx'
import { importWords } from './words.ts'

const accepted = '.csv,.tsv,.xlsx,.json,.ndjson,.jsonl,.txt,text/csv,application/json'

interface DropProps {
  readonly isSending: boolean
  readonly onFiles: (files: readonly File[]) => void
}

/** Accepts a file that is dropped anywhere, chosen with the button, or made of pasted cells. */
export const Drop = ({ isSending, onFiles }: DropProps) => {
  const words = importWords()
  const isOver = useStore(isDraggedOver)
  const dropped = useStore(droppedFiles)
  const fileInput = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (dropped.length > 0) onFiles(takeDroppedFiles())
  }, [dropped])
  useEffect(() => {
    const paste = ({ clipboardData }: ClipboardEvent) => {
      const text = clipboardData?.getData('text/plain') ?? ''
      if (text.includes('\n'))
        onFiles([new File([text], words.pasted, { type: 'text/tab-separated-values' })])
    }
    addEventListener('paste', paste)
    return () => removeEventListener('paste', paste)
  })
  const sendChosen = (input: HTMLInputElement) => {
    onFiles([...(input.files ?? [])])
    // With the old value, choosing the same file again would fire no event.
    input.value = ''
  }
  return (
    <section class={`drop ${isOver ? 'drop-over' : ''}`} aria-label={words.drop}>
      <Icon name="file" />
      <p class="drop-title" role="status">
        {isSending ? words.sending : words.drop}
      </p>
      <p>{words.or}</p>
      <Button
        text={words.choose}
        kind="primary"
        isLocked={isSending}
        onClick={() => fileInput.current?.click()}
      />
      <input
        ref={fileInput}
        type="file"
        hidden
        accept={accepted}
        onChange={(event) => sendChosen(event.currentTarget)}
      />
    </section>
  )
}
