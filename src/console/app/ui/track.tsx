import { useState } from 'preact/hooks'
import { useWords } from '#console/app/words/index.ts'

/** The id to quote to the operator, who finds it in the service's log. */
export const Track = ({ id }: { id: string }) => {
  const words = useWords()
  const [isCopied, setCopied] = useState(false)
  const copy = () => void navigator.clipboard.writeText(id).then(() => setCopied(true))
  if (!id) return null
  return (
    <p class="failure-track">
      {words.failure.track} <code>{id}</code>
      {/* A page loaded over plain HTTP from another machine has no clipboard. */}
      {'clipboard' in navigator && (
        <button type="button" class="text-button" onClick={copy}>
          {isCopied ? words.copied : words.copy}
          <span class="unseen"> {words.failure.track}</span>
        </button>
      )}
    </p>
  )
}
