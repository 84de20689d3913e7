interface Place {
  readonly place: number
}

const placeOf = (state: unknown): number | undefined => (state as Place | null)?.place

/** History entries are numbered, to tell the direction of a navigation. */
let at = placeOf(history.state) ?? 0
history.replaceState({ place: at }, '')
history.scrollRestoration = 'manual'

/** The scroll position of each entry. */
const scrolled = new Map<number, number>()

/** The scroll position at which the current entry was last left; 0 for a new entry. */
export const savedScroll = () => scrolled.get(at) ?? 0

/** How many entries the user has moved since the last call; an entry without a number is one further. */
export const step = (): number => {
  const known = placeOf(history.state)
  const to = known ?? at + 1
  scrolled.set(at, scrollY)
  if (known === undefined) scrolled.delete(to)
  const taken = to - at
  history.replaceState({ place: to }, '')
  at = to
  return taken
}

/** Gives the current entry another address. */
export const readdress = (address: string) => history.replaceState({ place: at }, '', address)
