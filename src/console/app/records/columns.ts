import { rememberedText } from '#console/app/state/preferences.ts'
import { type Store, useStore } from '#console/app/state/store.ts'
import type { Kind } from './kind.ts'

/** How many columns a table shows beside the first until the user chooses. */
const usualCount = 4

const chosen = new Map<string, Store<string>>()

/** The names of the hidden columns, separated by blanks; `usual` until the user chooses. */
const hiddenOf = ({ plural }: Kind) => {
  const kept =
    chosen.get(plural) ??
    rememberedText(plural === 'members' ? 'hidden-columns' : `hidden-columns.${plural}`, 'usual')
  chosen.set(plural, kept)
  return kept
}

/** The columns of a list after the first, and which of them are hidden. */
export const useHidden = (kind: Kind) => {
  const store = hiddenOf(kind)
  const text = useStore(store)
  const columns = kind.columns().slice(1)
  const names = columns.map(({ name }) => name)
  const isChosen = text !== 'usual' && text !== ''
  const hidden = text === 'usual' ? names.slice(usualCount) : text.split(' ')
  const shown = names.filter((name) => !hidden.includes(name))
  const show = (some: readonly string[]) => store.set(names.filter((name) => !some.includes(name)).join(' '))
  return { columns, hidden, shown, isChosen, show }
}
