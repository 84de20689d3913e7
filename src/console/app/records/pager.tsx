import { useState } from 'preact/hooks'
import type { PageOf } from '#client/index.ts'
import { IconButton } from '#console/app/ui/button.tsx'
import { useWords, wholeNumberOf } from '#console/app/words/index.ts'
import { pageSizes } from './query.ts'

interface PagerProps {
  readonly page: Omit<PageOf<object>, 'content'>
  /** The number of the chosen page, from 0. The page may still be loading. */
  readonly chosenPage: number
  readonly onTurn: (to: { readonly page: number; readonly size?: number }) => void
}

/** Buttons and a field to choose a page. The buttons start from the chosen page even while it is loading, so no press is lost. */
export const Pager = ({ page, chosenPage, onTurn }: PagerProps) => {
  const { list: words } = useWords()
  const { number, size, numberOfElements, totalElements, totalPages } = page
  const isFirst = chosenPage <= 0
  const isLast = chosenPage >= totalPages - 1
  const from = number * size
  return (
    <nav class="pager" aria-label={words.pager}>
      <p aria-live="polite">
        {numberOfElements > 0 &&
          words.range(Math.min(from + 1, totalElements), from + numberOfElements, totalElements)}
      </p>
      <label class="pager-size">
        <span class="pager-word">{words.size}</span>
        <select
          class="input"
          value={String(size)}
          onChange={(event) => onTurn({ page: 0, size: Number(event.currentTarget.value) })}
        >
          {sizeChoices(size).map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <div class="pager-turn">
        <IconButton
          icon="left"
          label={words.previous}
          isLocked={isFirst}
          onClick={() => isFirst || onTurn({ page: chosenPage - 1 })}
        />
        {totalPages > 1 && <PageNumber number={chosenPage + 1} last={totalPages} onTurn={onTurn} />}
        <IconButton
          icon="right"
          label={words.next}
          isLocked={isLast}
          onClick={() => isLast || onTurn({ page: chosenPage + 1 })}
        />
      </div>
    </nav>
  )
}

/** The page sizes to choose from. The service may have used a smaller size than these. */
const sizeChoices = (size: number) =>
  [...new Set<number>([...pageSizes, size])].toSorted((one, other) => one - other)

interface PageNumberProps extends Pick<PagerProps, 'onTurn'> {
  /** From 1. */
  readonly number: number
  readonly last: number
}

/** An input for the page number. Enter opens the typed page, at most the last. Escape, or a text that is no number, resets it. */
const PageNumber = ({ number, last, onTurn }: PageNumberProps) => {
  const { list: words } = useWords()
  const [typed, setTyped] = useState<string>()
  const openTyped = (text: string) => {
    setTyped(undefined)
    const wanted = Math.min(wholeNumberOf(text), last)
    if (wanted >= 1 && wanted !== number) onTurn({ page: wanted - 1 })
  }
  /** If nothing is typed, Escape leaves the field, as in every other field. */
  const resetOnEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.isComposing || typed === undefined) return
    event.stopPropagation()
    setTyped(undefined)
  }
  return (
    <label class="pager-number">
      {words.page.before(last)}
      <input
        class="input"
        inputMode="numeric"
        autocomplete="off"
        enterkeyhint="go"
        size={String(last).length + 1}
        value={typed ?? number}
        onFocus={({ currentTarget }) => currentTarget.select()}
        onKeyDown={resetOnEscape}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onChange={({ currentTarget }) => openTyped(currentTarget.value)}
      />
      {words.page.after(last)}
    </label>
  )
}
