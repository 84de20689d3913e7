import { rememberedText } from '#console/app/state/preferences.ts'
import { type Store, useStore } from '#console/app/state/store.ts'
import type { Kind } from './kind.ts'

/** How many columns a table has beside the first, unless others are chosen. */
const usualCount = 4

const chosen = new Map<string, Store<string>>()

/** The names of the columns that are left out, separated by blanks; before anybody has chosen, `usual`. */
const hiddenOf = ({ plural }: Kind) => {
  const kept =
    chosen.get(plural) ??
    rememberedText(plural === 'members' ? 'hidden-columns' : `hidden-columns.${plural}`, 'usual')
  chosen.set(plural, kept)
  return kept
}

/** The columns of a list that are left out. */
export const useHidden = (kind: Kind) => {
  const store = hiddenOf(kind)
  const text = useStore(store)
  const names = kind
    .columns()
    .slice(1)
    .map(({ name }) => name)
  const isChosen = text !== 'usual' && text !== ''
  const hidden = text === 'usual' ? names.slice(usualCount) : text.split(' ')
  const show = (some: readonly string[]) => store.set(names.filter((name) => !some.includes(name)).join(' '))
  return { names, hidden, isChosen, show }
}
