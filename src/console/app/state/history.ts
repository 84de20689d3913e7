interface Place {
  readonly place: number
}

const placeOf = (state: unknown): number | undefined => (state as Place | null)?.place

/** The places of the history are numbered, so that one knows which way somebody went. */
let at = placeOf(history.state) ?? 0
history.replaceState({ place: at }, '')
history.scrollRestoration = 'manual'

/** How far down one had scrolled at a place. */
const scrolled = new Map<number, number>()

/** How far down one was when one left the place where one is again; 0 where one is for the first time. */
export const scrolledHere = () => scrolled.get(at) ?? 0

/** How many places one went since the last call; a place where nobody was is one further. */
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

/** Another address for the same place. */
export const readdress = (address: string) => history.replaceState({ place: at }, '', address)
