import { useWords } from '#console/app/words/index.ts'
import { Empty } from './empty.tsx'

/** Replaces a form that could only be refused. */
export const NotAllowed = ({ what }: { what: string }) => {
  const words = useWords()
  return (
    <div class="sheet">
      <Empty icon="key" title={what} text={words.notAllowed} />
    </div>
  )
}
