import type { MemberPage } from '#client/index.ts'
import { Icon } from '#console/app/ui/icon.tsx'
import { useWords } from '#console/app/words/index.ts'
import { sizes } from './query.ts'

interface PagerParts {
  readonly page: Omit<MemberPage, 'content'>
  readonly onTurn: (to: { readonly page: number; readonly size?: number }) => void
}

export const Pager = ({ page, onTurn }: PagerParts) => {
  const { members: words } = useWords()
  const { number, size, numberOfElements, totalElements, totalPages, first, last } = page
  const from = number * size
  return (
    <nav class="pager" aria-label={words.pager}>
      <p aria-live="polite">
        {words.range(Math.min(from + 1, totalElements), from + numberOfElements, totalElements)}
      </p>
      <label class="pager-size">
        <span class="pager-word">{words.size}</span>
        <select
          class="input"
          value={String(size)}
          onChange={(event) => onTurn({ page: 0, size: Number(event.currentTarget.value) })}
        >
          {sizes.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <div class="pager-turn">
        <button
          type="button"
          class="icon-button"
          aria-label={words.previous}
          aria-disabled={first}
          onClick={() => first || onTurn({ page: number - 1 })}
        >
          <Icon name="left" />
        </button>
        <span class="pager-word">{words.page(number + 1, Math.max(totalPages, 1))}</span>
        <button
          type="button"
          class="icon-button"
          aria-label={words.next}
          aria-disabled={last}
          onClick={() => last || onTurn({ page: number + 1 })}
        >
          <Icon name="right" />
        </button>
      </div>
    </nav>
  )
}
