const placeOf = (state: unknown): number | undefined => (state as { place: number } | null)?.place

/** History entries are numbered, to tell the direction of a navigation. */
let at = placeOf(history.state) ?? 0
history.replaceState({ place: at }, '')
history.scrollRestoration = 'manual'

/** The scroll position of an entry when the user left it, and the address of the link that had the focus then. */
interface LeftEntry {
  readonly scroll: number
  readonly link: string | undefined
}

const leftEntries = new Map<number, LeftEntry>()

/** The scroll position at which the current entry was last left; 0 for a new entry. */
export const savedScroll = () => leftEntries.get(at)?.scroll ?? 0

export const savedLink = () => leftEntries.get(at)?.link

/** The number of entries moved since the last call, negative after Back. An entry without a number is new. */
export const historyStep = (): number => {
  const stored = placeOf(history.state)
  const to = stored ?? at + 1
  leftEntries.set(at, { scroll: scrollY, link: focusedLink() })
  if (stored === undefined) leftEntries.delete(to)
  const steps = to - at
  history.replaceState({ place: to }, '')
  at = to
  return steps
}

const focusedLink = () => document.activeElement?.closest('main a[href]')?.getAttribute('href') ?? undefined

/** Gives the current entry another address. */
export const replaceAddress = (address: string) => history.replaceState({ place: at }, '', address)
