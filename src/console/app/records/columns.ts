import { preference } from '#console/app/state/preferences.ts'
import { route } from '#console/app/state/route.ts'
import { type Store, useStore } from '#console/app/state/store.ts'
import type { ListSource } from '#console/app/ui/download.tsx'
import { valueAt } from '#core/csv.ts'
import type { Column, Kind } from './kind.ts'
import { hrefOf, readQuery, replaceQuery } from './query.ts'

/** The number of columns beside the first, until the user chooses columns. */
const defaultCount = 4

const hiddenByPlural = new Map<string, Store<string>>()

/** The names of the hidden columns, separated by blanks. It is `usual` until the user chooses columns. */
const hiddenOf = ({ plural }: Kind) => {
  const name = plural === 'members' ? 'hidden-columns' : `hidden-columns.${plural}`
  const store = hiddenByPlural.get(plural) ?? preference<string>(name, 'usual')
  hiddenByPlural.set(plural, store)
  return store
}

const columnsOf = (kind: Kind): readonly Column[] => [
  ...kind.columns(),
  ...(kind.fieldsWithOwnPath?.() ?? []).map((field) => ({ ...field, isUnsortable: true })),
]

/** The columns of a list, without the first, and which of them are hidden. Columns in the address override the user's choice. */
export const useColumnChoice = (kind: Kind) => {
  const store = hiddenOf(kind)
  const text = useStore(store)
  const columns = columnsOf(kind).slice(1)
  const names = columns.map(({ name }) => name)
  const { columns: linked, ...query } = readQuery(kind, useStore(route).query)
  const isChosen = linked !== undefined || (text !== 'usual' && text !== '')
  const chosen = text === 'usual' ? names.slice(defaultCount) : text.split(' ')
  const hidden = linked === undefined ? chosen : names.filter((name) => !linked.split(',').includes(name))
  const shown = names.filter((name) => !hidden.includes(name))
  const show = (some: readonly string[]) => {
    store.set(names.filter((name) => !some.includes(name)).join(' '))
    if (linked !== undefined) replaceQuery(kind, query)
  }
  const link = hrefOf(kind, { ...query, page: 0, columns: shown.join(',') || 'none' })
  return { columns, hidden, shown, isChosen, show, link }
}

/** The columns of a table: the first, and the others that are not hidden and that all records have. */
export const useColumns = (kind: Kind, items: readonly object[] = []) => {
  const { hidden, isChosen } = useColumnChoice(kind)
  const [first, ...others] = columnsOf(kind)
  const isShown = ({ name }: Column) =>
    !hidden.includes(name) && !items.some((item) => valueAt(item, name) === undefined)
  return { columns: first ? [first, ...others.filter(isShown)] : [], isChosen }
}

/** The records of a list to save as a file. `items` are the records of the page. */
export const useListSource = (
  kind: Kind,
  items: readonly object[] | undefined,
  records: Pick<ListSource, 'total' | 'readAll'>,
): ListSource => {
  const { columns } = useColumns(kind, items)
  return { plural: kind.plural, title: kind.words().title, columns, nameOf: kind.titleOf, ...records }
}
