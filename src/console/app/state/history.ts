interface Place {
  readonly place: number
}

const placeOf = (state: unknown): number | undefined => (state as Place | null)?.place

/** The places of the history are numbered, so that one knows which way somebody went. */
let at = placeOf(history.state) ?? 0
history.replaceState({ place: at }, '')

/** Where in the history one is. */
export const place = () => at

/** How many places one went since the last call; a place where nobody was is one further. */
export const step = (): number => {
  const to = placeOf(history.state) ?? at + 1
  const taken = to - at
  history.replaceState({ place: to }, '')
  at = to
  return taken
}

/** Another address for the same place. */
export const readdress = (address: string) => history.replaceState({ place: at }, '', address)
